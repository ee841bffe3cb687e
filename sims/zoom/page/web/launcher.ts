/// <reference lib="dom" />
// The launcher: it would open the app, and offers the browser in a small link below.
import { make } from '../make.ts'
import { boot, root } from './boot.ts'

root.append(
  make('h3', {}, 'Click Launch Meeting below'),
  make('div', { role: 'button', tabindex: '0', class: 'mbTuDeF1' }, 'Launch Meeting'),
  make('div', {}, "Don't have Zoom Client installed? ", make('a', { href: 'javascript:;' }, 'Download Now')),
  make('div', {}, 'Having issues with Zoom Client? ', make('a', { web_client: true, href: boot.webUrl }, 'Join from your browser')),
)
