/// <reference lib="dom" />
// The final screens of a tab: refused, denied, ended, removed, a bad code. Some redirect to the home page.
import type { ScreenName } from '../texts.ts'
import { fill, scenario, texts } from './boot.ts'
import { make, textButton } from './dom.ts'

const HOME = 'https://meet.google.com/'

type Extra = 'countdown' | 'ask_again' | 'rejoin'

const REFUSED: readonly Extra[] = ['countdown']
const DENIED: readonly Extra[] = ['ask_again', 'countdown']
const EXTRAS: Readonly<Partial<Record<ScreenName, readonly Extra[]>>> = {
  refused: REFUSED,
  refused_call: REFUSED,
  refused_meeting: REFUSED,
  encrypted: REFUSED,
  check_code: REFUSED,
  code_fails: REFUSED,
  expired_code: REFUSED,
  denied: DENIED,
  request_denied: DENIED,
  were_denied: DENIED,
  not_allowed: DENIED,
  not_admitted: DENIED,
  cannot_join: REFUSED,
  no_response: DENIED,
  left: ['rejoin', 'countdown'],
}

const HINTS: Readonly<Partial<Record<ScreenName, string>>> = {
  // A browser that Meet turns away reads no reason. An organisation's rule is named.
  refused_call: texts.restriction,
  refused_meeting: texts.restriction,
  check_code: texts.codeHint,
  invalid_name: texts.codeHint,
}

/** `behind` stays in the document, below the screen. */
export function showScreen(screen: ScreenName, behind: Node | null = null): void {
  const extras = EXTRAS[screen] ?? []
  const again = (control: string, text: string) => textButton(control, text, () => location.reload())
  const element = make(
    'main',
    { class: 'screen', role: scenario.endings },
    make('h1', { class: 'ending', jsname: 'r4nke' }, texts.screens[screen]),
    make('p', {}, HINTS[screen] ?? ''),
    make(
      'div',
      { class: 'screen-buttons' },
      ...(extras.includes('rejoin') ? [again('rejoin', texts.rejoin)] : []),
      ...(extras.includes('ask_again') ? [again('ask_again', texts.askAgain)] : []),
      textButton('home', texts.home, () => location.assign(HOME)),
    ),
  )
  if (extras.includes('countdown')) element.append(countdown())
  document.body.replaceChildren(...(behind ? [behind] : []), element)
}

/** After the countdown the tab goes home, which is the marketing page for a guest. */
function countdown(): HTMLElement {
  let seconds = scenario.countdownSeconds
  const element = make('p', { class: 'countdown', role: 'timer' })
  const show = () => {
    element.textContent = fill(texts.countdown, { seconds: String(seconds) })
  }
  const timer = setInterval(() => {
    seconds -= 1
    show()
    if (seconds > 0) return
    clearInterval(timer)
    location.assign(HOME)
  }, 1_000)
  show()
  return element
}

export function showSignInPage(): void {
  document.body.replaceChildren(make('main', { class: 'screen' }, make('h1', {}, texts.signIn), make('p', {}, texts.signInHint)))
}
