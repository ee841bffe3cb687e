/// <reference lib="dom" />
// The launcher: it opens the desktop app and offers to continue without it, or goes on by itself.
import { type LauncherBoot, PATHS } from '../wire.ts'
import { make } from './make.ts'
import { withToken } from './token.ts'

const response = await fetch(PATHS.launcher, { method: 'POST', body: JSON.stringify({ href: location.href }) })
const { texts, onWeb, webUrl, appUrl, isSkipped } = (await response.json()) as LauncherBoot
const { launcher } = texts

function show(): void {
  const label = { 'aria-label': launcher.onWebLabel.join_meeting }
  const web = make('button', { type: 'button', 'data-tid': 'joinOnWeb', ...label }, launcher.onWeb[onWeb])
  web.addEventListener('click', () => location.assign(withToken(webUrl)))
  const app = make('button', { type: 'button', 'data-tid': 'joinInApp' }, launcher.openApp)
  app.addEventListener('click', () => location.assign(appUrl))
  const download = make('button', { type: 'button', 'data-tid': 'downloadApp' }, launcher.downloadApp)
  const prompt = [make('h1', {}, launcher.heading), make('p', {}, launcher.prompt)]
  document.body.append(make('main', { class: 'launcher' }, ...prompt, app, download, web))
}

if (isSkipped) location.replace(withToken(webUrl))
else show()
