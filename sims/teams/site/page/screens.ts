/// <reference lib="dom" />
// Screens that end a visit or come before it: sign-in, passcode, captcha, removal, the end.
import type { ScreenName } from '../texts.ts'
import { boot, load, texts } from './boot.ts'
import { make } from './make.ts'
import { button } from './press.ts'

type Layout = 'retry' | 'wall' | 'dialog' | 'end' | 'encrypted' | 'player'

const LAYOUTS: Readonly<Record<ScreenName, Layout>> = {
  denied: 'retry',
  declined: 'retry',
  connect_error: 'retry',
  captcha: 'dialog',
  verify_info: 'dialog',
  sign_in_or_web: 'wall',
  signed_in_teams: 'wall',
  work_account: 'wall',
  contact_organizer: 'wall',
  signed_in_account: 'wall',
  sign_in_again: 'wall',
  org_policy: 'wall',
  webinar: 'retry',
  bad_link: 'retry',
  no_match: 'retry',
  encrypted: 'encrypted',
  removed: 'retry',
  removed_meeting: 'retry',
  ended: 'end',
  call_ended: 'end',
  left: 'end',
  ended_title: 'retry',
  town_hall: 'player',
}

/** A dialog in front of the current page. */
export function isDialog(screen: ScreenName): boolean {
  return LAYOUTS[screen] === 'dialog'
}

export function showScreen(screen: ScreenName): void {
  const text = texts.screens[screen]
  const layout = LAYOUTS[screen]
  if (layout === 'dialog') showDialog(screen, text)
  else document.body.replaceChildren(BUILDERS[layout](text))
}

const BUILDERS: Readonly<Record<Exclude<Layout, 'dialog'>, (text: string) => HTMLElement>> = {
  retry: (text) =>
    make(
      'main',
      { class: 'screen' },
      make('h1', { id: 'calling-retry-screen-title' }, text),
      button('rejoin', texts.rejoin, () => location.reload(), { 'data-tid': 'calling-retry-rejoinbutton' }),
      button('dismiss', texts.dismiss, () => document.body.replaceChildren(), { 'data-tid': 'calling-retry-cancelbutton' }),
    ),
  wall: (text) => make('main', { class: 'screen' }, make('h1', {}, text), createSignIn()),
  end: (text) => make('main', { class: 'screen' }, make('h1', {}, make('span', {}, text)), createSignIn()),
  /** An attendee of a town hall watches a stream, which has no call. */
  player: (text) => make('main', { class: 'screen' }, make('h2', {}, text), make('video', { controls: true })),
  encrypted: (text) => make('main', { class: 'screen', 'data-tid': 'calling-e2ee-end-screen' }, make('h1', {}, text)),
}

function showDialog(screen: ScreenName, text: string): void {
  const content = screen === 'captcha' ? make('div', { class: 'captcha', role: 'img', 'aria-label': text }) : createSignIn()
  document.body.append(
    make('div', { class: 'layer' }, make('div', { class: 'dialog', role: 'dialog', 'aria-modal': 'true' }, make('h2', {}, text), content)),
  )
}

function createSignIn(): HTMLElement {
  return button('sign_in', texts.signIn, () => location.assign(boot.signInUrl))
}

/** Microsoft's own form in place of the prejoin page. */
export function showLoginForm(): void {
  const field = make('input', { type: 'email', name: 'loginfmt', 'aria-label': texts.signIn })
  const submit = make('input', { type: 'submit', value: texts.signIn })
  const form = make('form', { method: 'get', action: boot.signInUrl }, make('h1', {}, texts.signIn), field, submit)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    location.assign(`${boot.signInUrl}&login_hint=${encodeURIComponent(field.value)}`)
  })
  document.body.replaceChildren(form)
}

/** Resolves when the passcode was right and the page goes to the meeting. */
export function showPasscode(): void {
  const digits = /\/meet\/(\d+)/.exec(decodeURIComponent(location.href))?.[1] ?? ''
  const field = make('input', { type: 'text', placeholder: texts.typePasscode, 'aria-label': texts.typePasscode })
  const problem = make('div', { role: 'alert' })
  const submit = button('passcode_join', texts.join.meeting, () => void check())
  const check = async () => {
    const path = `/meet/${digits}?p=${encodeURIComponent(field.value)}`
    const { opensWith } = await load(`${location.origin}${path}`)
    if (opensWith === 'passcode') {
      problem.textContent = texts.wrongPasscode
      submit.textContent = texts.retry
      return
    }
    history.replaceState(null, '', `/v2/?meetingjoin=true#${path}`)
    location.reload()
  }
  document.body.replaceChildren(make('main', { class: 'screen' }, make('h1', {}, texts.passcodeHeading), field, problem, submit))
}
