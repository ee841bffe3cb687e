// Access to rooms: by the setting ROOM, by links with a signed token, and for bots of this service.
import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { BotSpec, WorkspaceId } from '../domain/bot.ts'
import { isLoopback } from '../kit/addresses.ts'
import { isSameSecret } from '../kit/is-same-secret.ts'

export type RoomMode = 'open' | 'signed' | 'off'

/**
 * `bot`: a bot of this service. `expired`: the link was valid once, which allows a page to resume a seat but not to join.
 * `absent`: rooms are turned off.
 */
export type Admission = 'bot' | 'guest' | 'expired' | 'refused' | 'absent'

type Invitation = { readonly roomId: string; readonly url: string; readonly expiresAt: Date }

export type RoomAccess = {
  readonly mode: RoomMode
  admit(roomId: string, token: string | null): Admission
  /** The same name is a different room in each workspace. */
  invite(request: { readonly workspaceId: WorkspaceId; readonly name?: string; readonly expiresInSeconds: number }): Invitation
  /** Adds a token for the bot, because its link may expire before it joins. */
  withBotToken(spec: BotSpec): BotSpec
}

export type RoomAccessOptions = {
  /** Undefined: `open` if only this machine can reach the service, otherwise `signed`. */
  readonly mode: RoomMode | undefined
  /** The address on which the service listens. */
  readonly host: string
  readonly secretKey: string
  readonly publicUrl: () => string
  readonly now: () => number
}

/** The query parameter of a room's page and socket. */
const TOKEN = 'token'

/** Longer than any bot stays in a meeting. A bot that is sent again gets a new token. */
const BOT_SECONDS = 12 * 60 * 60

/** 72 bits, in base64url. */
const SUFFIX_CHARACTERS = 12

export function createRoomAccess({ mode: configured, host, secretKey, publicUrl, now }: RoomAccessOptions): RoomAccess {
  const mode = configured ?? defaultMode(host, publicUrl())
  const tokens = createTokens(secretKey, now)
  const suffixKey = keyFor(secretKey, 'emissary room ids')
  const suffixOf = (workspaceId: string, name: string) =>
    createHmac('sha256', suffixKey).update(`${workspaceId}/${name}`).digest('base64url').slice(0, SUFFIX_CHARACTERS)
  const inSeconds = (seconds: number) => Math.floor(now() / 1000) + seconds

  return {
    mode,
    admit(roomId, token) {
      if (mode === 'off') return 'absent'
      const found = tokens.check(roomId, token)
      if (found?.kind === 'bot' && !found.isExpired) return 'bot'
      if (mode === 'open') return 'guest'
      if (!found) return 'refused'
      return found.isExpired ? 'expired' : 'guest'
    },
    invite({ workspaceId, name = randomBytes(6).toString('hex'), expiresInSeconds }) {
      const roomId = `${name}-${suffixOf(workspaceId, name)}`
      const expires = inSeconds(expiresInSeconds)
      const url = `${publicUrl()}/room/${roomId}?${TOKEN}=${tokens.sign('link', roomId, expires)}`
      return { roomId, url, expiresAt: new Date(expires * 1000) }
    },
    withBotToken(spec) {
      const { meeting } = spec
      if (meeting.platform !== 'room') return spec
      const url = new URL(meeting.url)
      url.searchParams.set(TOKEN, tokens.sign('bot', meeting.meetingId, inSeconds(BOT_SECONDS)))
      return { ...spec, meeting: { ...meeting, url: url.href } }
    },
  }
}

/** On loopback only this machine has access, unless a proxy forwards others. A proxy shows as another public address. */
function defaultMode(host: string, publicUrl: string): RoomMode {
  const publicHost = URL.parse(publicUrl)?.hostname ?? host
  return isLoopback(host) && isLoopback(publicHost) ? 'open' : 'signed'
}

/** The token in the URL, or in the path and query, of a room's page or socket. */
export function tokenIn(url: string): string | null {
  return new URLSearchParams(url.split('?', 2)[1] ?? '').get(TOKEN)
}

/** A separate key for each kind, so that a link's token is never valid for a bot. */
const PURPOSES = { link: 'emissary room links', bot: 'emissary room bots' } as const
type TokenKind = keyof typeof PURPOSES
const KINDS: readonly TokenKind[] = ['link', 'bot']

const SIGNED_TOKEN = /^(\d{1,12})\.([\w-]{43})$/

/** Signed tokens that grant access to one room until they expire: for links and for bots of this service. */
function createTokens(secretKey: string, now: () => number) {
  const keys = { link: keyFor(secretKey, PURPOSES.link), bot: keyFor(secretKey, PURPOSES.bot) }
  const signatureOf = (kind: TokenKind, roomId: string, expires: string) =>
    createHmac('sha256', keys[kind]).update(`${roomId}.${expires}`).digest('base64url')
  return {
    /** `expires` is a Unix time in seconds. */
    sign: (kind: TokenKind, roomId: string, expires: number): string => `${expires}.${signatureOf(kind, roomId, String(expires))}`,
    /** Null: the token was not signed for this room. */
    check(roomId: string, token: string | null): { readonly kind: TokenKind; readonly isExpired: boolean } | null {
      const [, expires, signature] = SIGNED_TOKEN.exec(token ?? '') ?? []
      if (expires === undefined || signature === undefined) return null
      const kind = KINDS.find((it) => isSameSecret(signature, signatureOf(it, roomId, expires)))
      return kind ? { kind, isExpired: now() >= Number(expires) * 1000 } : null
    },
  }
}

function keyFor(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32))
}
