// Who may enter a room: the setting ROOM, links with a token, and this service's own bots.
import { createHmac, randomBytes } from 'node:crypto'
import type { BotSpec, WorkspaceId } from '../../domain/bot.ts'
import { isLoopback } from '../../kit/addresses.ts'
import { createTokens, keyFor } from './tokens.ts'

export type RoomMode = 'open' | 'signed' | 'off'

/**
 * `bot`: one of this service. `expired`: the link was good once, which is enough to take a seat again and not enough for a new one.
 * `absent`: there are no rooms.
 */
export type Admission = 'bot' | 'guest' | 'expired' | 'refused' | 'absent'

type Invitation = { readonly roomId: string; readonly url: string; readonly expiresAt: Date }

export type Door = {
  readonly mode: RoomMode
  admit(roomId: string, token: string | null): Admission
  /** One name is one room in a workspace, and another room in every other workspace. */
  invite(wish: { readonly workspaceId: WorkspaceId; readonly name?: string; readonly expiresInSeconds: number }): Invitation
  /** A bot opens its room with a token of its own: the link that it was sent with may expire meanwhile. */
  forBot(spec: BotSpec): BotSpec
}

export type DoorOptions = {
  /** Unset: depends on who can reach the service. */
  readonly mode: RoomMode | undefined
  /** Where the service listens. */
  readonly host: string
  readonly secretKey: string
  readonly publicUrl: () => string
  readonly now: () => number
}

/** The query parameter of a room's page and socket. */
const TOKEN = 'token'

/** Longer than any bot stays in a meeting; a bot that is sent again gets a new one. */
const BOT_SECONDS = 12 * 60 * 60

/** 72 bits, in base64url. */
const MARK_CHARACTERS = 12

export function createDoor({ mode: asked, host, secretKey, publicUrl, now }: DoorOptions): Door {
  const mode = asked ?? defaultMode(host, publicUrl())
  const tokens = createTokens(secretKey, now)
  const markKey = keyFor(secretKey, 'emissary room ids')
  const markOf = (workspaceId: string, name: string) =>
    createHmac('sha256', markKey).update(`${workspaceId}/${name}`).digest('base64url').slice(0, MARK_CHARACTERS)
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
      const roomId = `${name}-${markOf(workspaceId, name)}`
      const expires = inSeconds(expiresInSeconds)
      const url = `${publicUrl()}/room/${roomId}?${TOKEN}=${tokens.sign('link', roomId, expires)}`
      return { roomId, url, expiresAt: new Date(expires * 1000) }
    },
    forBot(spec) {
      const { meeting } = spec
      if (meeting.platform !== 'room') return spec
      const url = new URL(meeting.url)
      url.searchParams.set(TOKEN, tokens.sign('bot', meeting.meetingId, inSeconds(BOT_SECONDS)))
      return { ...spec, meeting: { ...meeting, url: url.href } }
    },
  }
}

/** On loopback there are no strangers, unless a proxy brings them: then the public address is another one. */
function defaultMode(host: string, publicUrl: string): RoomMode {
  const publicHost = URL.parse(publicUrl)?.hostname ?? host
  return isLoopback(host) && isLoopback(publicHost) ? 'open' : 'signed'
}

/** The token of a room's page or socket, from its URL or its path with a query. */
export function tokenIn(url: string): string | null {
  return new URLSearchParams(url.split('?', 2)[1] ?? '').get(TOKEN)
}
