/// <reference lib="dom" />
// The last thing a tab shows: refused, denied, ended, removed, a bad code. Some go on to the home screen by themselves.
import type { ScreenName } from '../words.ts'
import { fill, scenario, words } from './boot.ts'
import { make, textButton } from './dom.ts'

const HOME = 'https://meet.google.com/'

type Extra = 'countdown' | 'ask_again' | 'rejoin'

const REFUSED: readonly Extra[] = ['countdown']
const DENIED: readonly Extra[] = ['ask_again', 'countdown']
const EXTRAS: Readonly<Partial<Record<ScreenName, readonly Extra[]>>> = {
  refused: REFUSED,
  refused_call: REFUSED,
  refused_meeting: REFUSED,
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
  refused: words.restriction,
  refused_call: words.restriction,
  refused_meeting: words.restriction,
  check_code: words.codeHint,
  invalid_name: words.codeHint,
}

/** `behind` stays in the document, below the screen. */
export function showScreen(screen: ScreenName, behind: Node | null = null): void {
  const extras = EXTRAS[screen] ?? []
  const again = (control: string, text: string) => textButton(control, text, () => location.reload())
  const element = make(
    'main',
    { class: 'screen' },
    make('h1', { class: 'ending', jsname: 'r4nke' }, words.screens[screen]),
    make('p', {}, HINTS[screen] ?? ''),
    make(
      'div',
      { class: 'screen-buttons' },
      ...(extras.includes('rejoin') ? [again('rejoin', words.rejoin)] : []),
      ...(extras.includes('ask_again') ? [again('ask_again', words.askAgain)] : []),
      textButton('home', words.home, () => location.assign(HOME)),
    ),
  )
  if (extras.includes('countdown')) element.append(countdown())
  document.body.replaceChildren(...(behind ? [behind] : []), element)
}

/** When it is over the tab goes home, which for a guest is the marketing page. */
function countdown(): HTMLElement {
  let seconds = scenario.countdownSeconds
  const element = make('p', { class: 'countdown', role: 'timer' })
  const show = () => {
    element.textContent = fill(words.countdown, { seconds: String(seconds) })
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
  document.body.replaceChildren(make('main', { class: 'screen' }, make('h1', {}, words.signIn), make('p', {}, words.signInHint)))
}
