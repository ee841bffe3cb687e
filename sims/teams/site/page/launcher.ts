/// <reference lib="dom" />
// The launcher: it opens the desktop app and offers to continue without it.
import { type LauncherBoot, PATHS } from '../wire.ts'
import { make } from './make.ts'

const response = await fetch(PATHS.launcher, { method: 'POST', body: JSON.stringify({ href: location.href }) })
const { texts, onWeb, webUrl, appUrl } = (await response.json()) as LauncherBoot
const { launcher } = texts

/** The token of a bot that identifies itself stays in the address. */
function withToken(address: string): string {
  const token = /[#&](token=[^&#]+)/.exec(location.hash)?.[1]
  return token ? `${address}${address.includes('#') ? '&' : '#'}${token}` : address
}

const web = make(
  'button',
  { type: 'button', 'data-tid': 'joinOnWeb', 'aria-label': launcher.onWebLabel.join_meeting },
  launcher.onWeb[onWeb],
)
web.addEventListener('click', () => location.assign(withToken(webUrl)))
const app = make('button', { type: 'button', 'data-tid': 'joinInApp' }, launcher.openApp)
app.addEventListener('click', () => location.assign(appUrl))
document.body.append(
  make(
    'main',
    { class: 'launcher' },
    make('h1', {}, launcher.heading),
    make('p', {}, launcher.prompt),
    app,
    make('button', { type: 'button', 'data-tid': 'downloadApp' }, launcher.downloadApp),
    web,
  ),
)
