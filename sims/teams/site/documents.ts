// The documents of the site. Their scripts build everything visible.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readModules } from '../../site/page-modules.ts'
import { ASSETS } from './wire.ts'

export type Document = { readonly html: string; readonly policy: string }

const HOST_OF = { trouter: 'wss://*.trouter.teams.microsoft.com', snapshot: 'https://*.flightproxy.teams.microsoft.com' }

export const MODULES = readModules(import.meta.dirname, (name) => name === 'wire.ts' || name.startsWith('page/'))
const STYLE = readFileSync(join(import.meta.dirname, 'page/style.css'), 'utf8')

/** The web client. It shows its loading screen until its script knows the meeting. */
export function appDocument(): Document {
  return scripted('Microsoft Teams', 'page/main.ts', '<div id="loading-screen"><div class="spinner" role="progressbar"></div></div>')
}

export function launcherDocument(opensApp: boolean): Document {
  // Opens the desktop app. Its address is the same for every meeting.
  const frame = '<iframe id="teamsLauncher" src="msteams:/l/meetup-join/" hidden></iframe>'
  return scripted('Join conversation', 'page/launcher.ts', opensApp ? frame : '')
}

function scripted(title: string, module: string, body: string): Document {
  const nonce = randomBytes(12).toString('base64url')
  const html = `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<title>${title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
<script type="module" src="${ASSETS}${module}" nonce="${nonce}"></script>
</head>
<body>${body}</body>
</html>`
  return { html, policy: policyWith(nonce) }
}

/** Blocks media of other sites: a bot's own images and sounds must be blobs. */
function policyWith(nonce: string): string {
  return [
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'nonce-${nonce}'`,
    `connect-src 'self' ${HOST_OF.trouter} ${HOST_OF.snapshot}`,
    "worker-src 'self' blob:",
    "media-src 'self' blob:",
    "img-src 'self' data: blob:",
    "frame-src 'self' msteams:",
    "object-src 'none'",
    "base-uri 'self'",
  ].join('; ')
}

const PLAIN_POLICY = "script-src 'none'; object-src 'none'; base-uri 'none'"

export function plainDocument(title: string, text: string): Document {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,"></head><body><h1>${title}</h1><p>${text}</p></body></html>`
  return { html, policy: PLAIN_POLICY }
}
