// The documents of the site: the meeting page, which its script builds, and plain ones.
import { randomBytes } from 'node:crypto'
import type { Assets } from './assets.ts'
import type { Scenario } from './scenario.ts'
import { languageOf, TEXTS, withApostrophes } from './texts.ts'
import type { Boot } from './wire.ts'

type Document = { readonly html: string; readonly policy: string }

/** The default number of camera slots. */
const VIDEO_SLOTS = 4
const AUDIO_LANES = 3

export type Visit = {
  readonly code: string
  readonly scenario: Scenario
  readonly hl: string | null
  readonly hasSession: boolean
  /** The browser is turned away, whatever the landing is. */
  readonly isTurnedAway: boolean
}

export function meetingDocument(assets: Assets, { code, scenario: whole, hl, hasSession, isTurnedAway }: Visit): Document {
  const { space, ...scenario } = whole
  const { account, accountName, landing, turnedAwayBy } = scenario
  const isSignedIn = account === 'signed_in' || (account === 'by_cookie' && hasSession)
  const language = (scenario.hl === 'heeded' ? languageOf(hl) : null) ?? scenario.language
  return bootDocument(assets, {
    code,
    language,
    scenario,
    texts: withApostrophes(TEXTS[language], scenario.apostrophes),
    // One more, for a presentation.
    videoSlots: (space.videoSlots ?? VIDEO_SLOTS) + 1,
    lanes: space.lanes ?? AUDIO_LANES,
    accountName: isSignedIn ? accountName : null,
    opensWith: isTurnedAway
      ? turnedAwayBy
      : landing === 'sign_in' || landing === 'marketing' || landing === 'live_stream'
        ? 'prejoin'
        : landing,
    classes: assets.classes(scenario.classes),
  })
}

function bootDocument(assets: Assets, boot: Boot): Document {
  const nonce = randomBytes(12).toString('base64url')
  const preloads = [...assets.modules.keys()].map((name) => `<link rel="modulepreload" href="/_/assets/${name}" nonce="${nonce}">`)
  const html = `<!doctype html>
<html lang="${boot.language}" dir="ltr">
<head>
<meta charset="utf-8">
<title>Meet - ${boot.code}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${assets.styleWith(boot.classes)}</style>
${preloads.join('\n')}
<script type="application/json" id="boot" nonce="${nonce}">${JSON.stringify(boot).replaceAll('<', '\\u003c')}</script>
<script type="module" src="/_/assets/page/main.ts" nonce="${nonce}"></script>
</head>
<body></body>
</html>`
  return { html, policy: policyWith(nonce, boot.scenario.policy) }
}

const CONNECTIONS: Readonly<Record<Scenario['policy'], string>> = { live: "'self' ws://localhost:*", strict: "'self'" }

/** As strict as Google's policy, which lets the page connect to this machine. */
function policyWith(nonce: string, policy: Scenario['policy']): string {
  return [
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'nonce-${nonce}'`,
    `connect-src ${CONNECTIONS[policy]}`,
    "worker-src 'self'",
    "img-src 'self' data: https://*.googleusercontent.com",
    'frame-src https://www.google.com',
    "object-src 'none'",
    "base-uri 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types meet#bundle',
  ].join('; ')
}

export const PLAIN_POLICY = "script-src 'none'; object-src 'none'; base-uri 'none'; require-trusted-types-for 'script'"

function plain(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,"></head><body>${body}</body></html>`
}

export const SIGN_IN_PAGE = plain(
  'Sign in - Google Accounts',
  `<h1>Sign in</h1><p>to continue to Google Meet with your Google Account</p>
<form><label>Email or phone <input type="email" id="identifierId" name="identifier" aria-label="Email or phone"></label>
<p><a href="#">Forgot email?</a></p><button type="button">Next</button></form>`,
)

export const MARKETING_PAGE = plain(
  'Google Meet: Online Web and Video Conferencing Calls | Google Workspace',
  `<header><a href="#">Google Workspace</a> <a href="https://accounts.google.com/">Sign in</a></header>
<h1>Video calls and meetings for everyone</h1><p>Connect, collaborate and celebrate from anywhere with Google Meet.</p>
<a role="button" href="#">Try Meet for work</a> <input type="text" placeholder="Enter a code or link"> <button type="button">Join</button>`,
)

export const LIVE_STREAM_PAGE = plain(
  'Live stream',
  `<h1>Team meeting</h1><video></video><p>Live stream. View only.</p><button type="button" aria-label="Play">Play</button>`,
)

export const CAPTCHA_PAGE = plain('reCAPTCHA', "<label><input type='checkbox'> I'm not a robot</label>")

export const NOT_FOUND_PAGE = plain('Error 404 (Not Found)!!1', '<p><b>404.</b> That’s an error.</p>')
