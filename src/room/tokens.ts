// Signed tokens that grant access to one room until they expire: for links and for bots of this service.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

type TokenKind = 'link' | 'bot'

type TokenCheck = { readonly kind: TokenKind; readonly isExpired: boolean }

export type Tokens = {
  sign(kind: TokenKind, roomId: string, expires: number): string
  /** Null: the token was not signed for this room. */
  check(roomId: string, token: string | null): TokenCheck | null
}

/** A separate key for each kind, so that a link's token is never valid for a bot. */
const PURPOSES: Readonly<Record<TokenKind, string>> = { link: 'emissary room links', bot: 'emissary room bots' }
const KINDS = ['link', 'bot'] as const satisfies readonly TokenKind[]

const TOKEN = /^(\d{1,12})\.([\w-]{43})$/

/** `expires` is a Unix time in seconds. */
export function createTokens(secretKey: string, now: () => number): Tokens {
  const keys = { link: keyFor(secretKey, PURPOSES.link), bot: keyFor(secretKey, PURPOSES.bot) }
  const signatureOf = (kind: TokenKind, roomId: string, expires: string) =>
    createHmac('sha256', keys[kind]).update(`${roomId}.${expires}`).digest('base64url')
  return {
    sign: (kind, roomId, expires) => `${expires}.${signatureOf(kind, roomId, String(expires))}`,
    check(roomId, token) {
      const [, expires, signature] = TOKEN.exec(token ?? '') ?? []
      if (expires === undefined || signature === undefined) return null
      const kind = KINDS.find((it) => isSame(signature, signatureOf(it, roomId, expires)))
      return kind ? { kind, isExpired: now() >= Number(expires) * 1000 } : null
    },
  }
}

export function keyFor(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32))
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
