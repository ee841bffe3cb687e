// Signed links: a link grants read access to one object, without an API key, until it expires or its bot's data is deleted.
import { createHmac, hkdfSync } from 'node:crypto'
import type { BotId } from '../../domain/bot.ts'
import { isSameSecret } from '../../kit/is-same-secret.ts'

/** `epoch` is the bot's deletion epoch when the link was made. A link of an earlier epoch points to deleted data. */
type LinkTarget = { readonly botId: BotId; readonly key: string; readonly epoch: number }

type LinkRequest = LinkTarget & { readonly fileName?: string; readonly expiresInSeconds: number }

export type SignedLink = { readonly url: string; readonly expiresAt: Date }

type LinkCheck = ({ readonly kind: 'valid' } & LinkTarget) | { readonly kind: 'forged' } | { readonly kind: 'expired' }

export type SignedLinks = {
  sign(request: LinkRequest): SignedLink
  /** Takes the two decoded path segments after /media. */
  check(token: string, fileName: string): LinkCheck
}

export type LinkOptions = { readonly key: string; readonly publicUrl: () => string; readonly now: () => Date }

export function createSignedLinks({ key: secretKey, publicUrl, now }: LinkOptions): SignedLinks {
  // A derived key, so that a signature made here is not valid for any other use of the secret key.
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'emissary media links', 32))
  const signatureOf = (claims: string, fileName: string) => createHmac('sha256', key).update(`${claims}/${fileName}`).digest('base64url')
  return {
    sign({ botId, key, epoch, fileName, expiresInSeconds }) {
      const expires = Math.floor(now().getTime() / 1000 + expiresInSeconds)
      const claims = Buffer.from(JSON.stringify([botId, key, epoch, expires])).toString('base64url')
      const name = safeFileName(fileName ?? key.slice(key.lastIndexOf('/') + 1))
      const path = `${claims}.${signatureOf(claims, name)}/${encodeURIComponent(name)}`
      return { url: `${publicUrl()}/media/${path}`, expiresAt: new Date(expires * 1000) }
    },
    check(token, fileName) {
      const [claims = '', signature = '', ...rest] = token.split('.')
      if (rest.length > 0 || !isSameSecret(signature, signatureOf(claims, fileName))) return { kind: 'forged' }
      const { expires, ...target } = readClaims(claims)
      return now().getTime() < expires * 1000 ? { kind: 'valid', ...target } : { kind: 'expired' }
    },
  }
}

const MOST_CHARACTERS = 120

/** A name that is safe as one path segment and in a header: no slash, quote or control character, and never only dots. */
export function safeFileName(name: string): string {
  const plain = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\"<>:|?*%]/gu, '_')
    .replace(/^[.\s]+/, '')
  return [...plain].slice(-MOST_CHARACTERS).join('').trim() || 'file'
}

/** The signature has been checked, so the JSON is ours. */
function readClaims(claims: string): LinkTarget & { readonly expires: number } {
  const [botId, key, epoch, expires] = JSON.parse(Buffer.from(claims, 'base64url').toString()) as [BotId, string, number, number]
  return { botId, key, epoch, expires }
}
