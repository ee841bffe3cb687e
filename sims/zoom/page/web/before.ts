/// <reference lib="dom" />
// The screens before the preview: cookies, terms, permission cards, and block pages.
import type { WebScenario } from '../../site/web-scenario.ts'
import { button, make } from '../make.ts'
import { wallScreen } from '../walls.ts'
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

/** As large as a small question, and mostly beyond the edge of the window. */
export function showCaptchaBadge(): void {
  if (!boot.web.captchaBadge) return
  const frame = make('iframe', { title: 'reCAPTCHA', src: 'about:blank#recaptcha/api2/anchor?size=invisible', width: '256', height: '60' })
  document.body.append(make('div', { class: 'grecaptcha-badge' }, frame))
}

export function agreeToTerms(): Promise<void> {
  if (!boot.web.terms) return Promise.resolve()
  return new Promise((resolve) => {
    root.replaceChildren(make('h1', {}, 'Terms of Service'), button('terms', 'I Agree', resolve, { id: 'wc_agree1' }))
  })
}

/** True: the page may use devices. Without them no audio is received in the call. */
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

type Place = (screen: readonly HTMLElement[], wall: WebScenario['wall']) => readonly HTMLElement[]

const PLACES: Readonly<Record<WebScenario['wallIn'], Place>> = {
  page: (screen) => screen,
  shadow_root: (screen) => {
    const host = make('zoom-verification')
    host.attachShadow({ mode: 'open' }).append(...screen)
    return [host]
  },
  other_site: (_, wall) => [make('iframe', { src: `${boot.blockUrl}?wall=${wall}`, width: '600', height: '400' })],
}

/** Shows the block page of the scenario. False: it has none. */
export function showWall(wall: WebScenario['wall']): boolean {
  const screen = wallScreen(wall, boot.words)
  if (screen) root.replaceChildren(...PLACES[boot.web.wallIn](screen, wall))
  return screen !== null
}
