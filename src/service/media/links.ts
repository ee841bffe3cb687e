// Signed links: whoever has one may read one object until it expires or its bot's data is deleted. No key is needed.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { BotId } from '../../domain/bot.ts'

/** `epoch` is the bot's deletion epoch when the link was made: a link of an earlier one leads to what was deleted. */
type LinkTarget = { readonly botId: BotId; readonly key: string; readonly epoch: number }

type LinkWish = LinkTarget & { readonly fileName?: string; readonly expiresInSeconds: number }

export type SignedLink = { readonly url: string; readonly expiresAt: Date }

type LinkCheck = ({ readonly kind: 'valid' } & LinkTarget) | { readonly kind: 'forged' } | { readonly kind: 'expired' }

export type Links = {
  sign(wish: LinkWish): SignedLink
  /** The two parts of a link's path behind /media, decoded. */
  check(token: string, fileName: string): LinkCheck
}

export type LinkOptions = { readonly key: string; readonly publicUrl: () => string; readonly now: () => Date }

export function createLinks({ key: secretKey, publicUrl, now }: LinkOptions): Links {
  // Its own key, so that what is signed here can never be mistaken for something else that the secret key protects.
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
      if (rest.length > 0 || !isSame(signature, signatureOf(claims, fileName))) return { kind: 'forged' }
      const { expires, ...target } = readClaims(claims)
      return now().getTime() < expires * 1000 ? { kind: 'valid', ...target } : { kind: 'expired' }
    },
  }
}

const MOST_CHARACTERS = 120

/** A name that is one part of a path and of a header: no slash, no quote, no control character, and never only dots. */
export function safeFileName(name: string): string {
  const plain = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\"<>:|?*%]/gu, '_')
    .replace(/^[.\s]+/, '')
  return [...plain].slice(-MOST_CHARACTERS).join('').trim() || 'file'
}

/** Only what carries our signature comes here. */
function readClaims(claims: string): LinkTarget & { readonly expires: number } {
  const [botId, key, epoch, expires] = JSON.parse(Buffer.from(claims, 'base64url').toString()) as [BotId, string, number, number]
  return { botId, key, epoch, expires }
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
