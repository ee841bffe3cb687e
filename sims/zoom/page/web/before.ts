/// <reference lib="dom" />
// What stands before the preview: cookies, terms, permission cards, and walls.
import type { WebScenario } from '../../site/web-scenario.ts'
import { button, make } from '../make.ts'
import { boot, root } from './boot.ts'

/** Lies over everything until one of its buttons is pressed. */
export function showCookies(): void {
  if (!boot.web.cookies) return
  const banner = make('div', { id: 'onetrust-banner-sdk', class: 'cookie-banner' })
  const close = () => banner.remove()
  banner.append(
    button('cookies-accept', 'Accept Cookies', close, { id: 'onetrust-accept-btn-handler' }),
    button('cookies-reject', 'Reject All', close, { id: 'onetrust-reject-all-handler' }),
  )
  document.body.append(banner)
}

export function agreeToTerms(): Promise<void> {
  if (!boot.web.terms) return Promise.resolve()
  return new Promise((resolve) => {
    root.replaceChildren(make('h1', {}, 'Terms of Service'), button('terms', 'I Agree', resolve, { id: 'wc_agree1' }))
  })
}

/** True: the page may use devices. Without them nothing is heard in the call. */
export async function askForDevices(): Promise<boolean> {
  let isAllowed = true
  for (let card = 0; card < boot.web.permissionCards; card++) isAllowed = await askOnce()
  return isAllowed
}

function askOnce(): Promise<boolean> {
  return new Promise((resolve) => {
    const { allow } = boot.words
    const without = 'Continue without microphone and camera'
    root.replaceChildren(
      make('div', { class: 'pepc-permission-dialog' }, 'Do you want people to hear and see you in the meeting?'),
      button('permission-allow', allow, () => resolve(true)),
      button('permission-without', without, () => resolve(false)),
    )
  })
}

type Wall = WebScenario['wall']

/** Shows a wall; false, if there is none. */
export function showWall(wall: Wall): boolean {
  const { words } = boot
  const screens: Readonly<Record<Exclude<Wall, 'none' | 'invalid_link'>, readonly (HTMLElement | string)[]>> = {
    bots: [
      make('h2', {}, words.botsBlocked),
      make('p', {}, words.botDetected),
      make('p', {}, words.botSignIn),
      button('sign-in', words.signIn, () => undefined),
    ],
    captcha: [
      make('h2', {}, words.verify),
      make('p', {}, words.captchaBody),
      make('iframe', { title: 'reCAPTCHA', srcdoc: 'reCAPTCHA', src: 'about:blank#recaptcha', width: '300', height: '80' }),
      button('captcha', words.continueOn, () => undefined),
    ],
    recaptcha_failed: [make('p', { role: 'alert' }, words.captchaFailed)],
    sign_in: [
      make('h2', {}, words.signInToJoin),
      make('p', {}, words.commercial),
      button('sign-in', 'Sign in Zoom', () => undefined, { class: 'login-btn-zoom' }),
    ],
  }
  if (wall === 'none' || wall === 'invalid_link') return false
  root.replaceChildren(...screens[wall])
  return true
}
