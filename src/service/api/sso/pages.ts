// The pages of the identity provider for bots: a form that submits itself, and messages.
import { createHash } from 'node:crypto'
import { escapeXml } from '../../sso/xml.ts'

const SCRIPT = 'document.forms[0].submit()'

/** Only the script that submits the form may run. The pages are not cached and send no referrer. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

export function formPage(action: string, fields: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeXml(value)}">`)
  const form = `<form method="post" action="${escapeXml(action)}">${inputs.join('')}<noscript><button>Continue</button></noscript></form>`
  return page('Signing in', `${form}<script>${SCRIPT}</script>`)
}

export function messagePage(title: string, sentence: string): string {
  return page(title, `<h1>${escapeXml(title)}</h1><p>${escapeXml(sentence)}</p>`)
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeXml(title)}</title><body>${body}</body></html>`
}
