import { expect, test } from 'vitest'
import type { BotSpec, WorkspaceId } from '../domain/bot.ts'
import { createRoomAccess, type RoomAccessOptions, tokenIn } from './room-access.ts'

const WORKSPACE = 'workspace_1' as WorkspaceId
const OTHER = 'workspace_2' as WorkspaceId
const HOUR_MS = 3_600_000

function bench(options: Partial<RoomAccessOptions> = {}) {
  let at = 1_800_000_000_000
  const access = createRoomAccess({
    mode: 'signed',
    host: '127.0.0.1',
    secretKey: 'a-secret-key-for-tests',
    publicUrl: () => 'https://bots.example/emissary',
    now: () => at,
    ...options,
  })
  return { access, pass: (ms: number) => (at += ms) }
}

const specOf = (url: string, meetingId: string) => ({ name: 'x', meeting: { platform: 'room', url, meetingId } }) as unknown as BotSpec

test('admits a link to its room until it expires and then only to resume a seat', () => {
  const { access, pass } = bench()
  const { roomId, url, expiresAt } = access.invite({ workspaceId: WORKSPACE, name: 'daily', expiresInSeconds: 3_600 })
  expect(url).toMatch(/^https:\/\/bots\.example\/emissary\/room\/daily-[\w-]{12}\?token=\d+\.[\w-]{43}$/)
  expect(expiresAt).toEqual(new Date(1_800_000_000_000 + HOUR_MS))
  const token = tokenIn(url)
  expect(access.admit(roomId, token)).toBe('guest')
  expect(access.admit('daily', token)).toBe('refused')
  expect(access.admit(roomId, null)).toBe('refused')
  expect(access.admit(roomId, `${Number.parseInt(token ?? '', 10) + 1}${token?.slice(token.indexOf('.'))}`)).toBe('refused')
  pass(HOUR_MS)
  expect(access.admit(roomId, token)).toBe('expired')
})

test('maps a name to the same room in a workspace and to another room in another workspace', () => {
  const { access } = bench()
  const idOf = (workspaceId: WorkspaceId, name?: string) =>
    access.invite({ workspaceId, ...(name !== undefined && { name }), expiresInSeconds: 60 }).roomId
  expect(idOf(WORKSPACE, 'daily')).toBe(idOf(WORKSPACE, 'daily'))
  expect(idOf(OTHER, 'daily')).not.toBe(idOf(WORKSPACE, 'daily'))
  expect(idOf(WORKSPACE)).not.toBe(idOf(WORKSPACE))
  expect(idOf(OTHER, 'x'.repeat(40))).toMatch(/^[\w-]{1,64}$/)
})

test('admits a bot by its own token, also after its link has expired, and no other token as a bot', () => {
  const { access, pass } = bench()
  const { roomId, url } = access.invite({ workspaceId: WORKSPACE, expiresInSeconds: 60 })
  const ordered = access.withBotToken(specOf(url, roomId)).meeting.url
  expect(new URL(ordered).searchParams.getAll('token')).toHaveLength(1)
  pass(6 * HOUR_MS)
  expect(access.admit(roomId, tokenIn(ordered))).toBe('bot')
  expect(access.admit(roomId, tokenIn(url))).toBe('expired')
  expect(access.admit('another', tokenIn(ordered))).toBe('refused')
  pass(24 * HOUR_MS)
  expect(access.admit(roomId, tokenIn(ordered))).toBe('expired')
})

test('admits everyone to an open room and recognises bots', () => {
  const { access } = bench({ mode: 'open' })
  const { url } = access.withBotToken(specOf('http://127.0.0.1:4000/room/a', 'a')).meeting
  expect([access.admit('a', null), access.admit('a', 'forged'), access.admit('a', tokenIn(url))]).toEqual(['guest', 'guest', 'bot'])
  const another = bench({ mode: 'open', secretKey: 'another-key-for-tests' }).access
  expect(another.admit('a', tokenIn(url))).toBe('guest')
})

test('reports rooms as absent if they are turned off', () => {
  const { access } = bench({ mode: 'off' })
  const { url } = access.withBotToken(specOf('http://127.0.0.1:4000/room/a', 'a')).meeting
  expect([access.admit('a', null), access.admit('a', tokenIn(url))]).toEqual(['absent', 'absent'])
})

test.each([
  ['127.0.0.1', '', 'open'],
  ['::1', '', 'open'],
  ['localhost', 'http://127.0.0.1:4000', 'open'],
  ['0.0.0.0', '', 'signed'],
  ['::', '', 'signed'],
  ['10.0.0.5', '', 'signed'],
  ['127.0.0.1', 'https://bots.example', 'signed'],
])('defaults on host %s with public URL %j to %s rooms', (host, publicUrl, mode) => {
  expect(bench({ mode: undefined, host, publicUrl: () => publicUrl }).access.mode).toBe(mode)
})
