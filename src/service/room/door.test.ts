import { expect, test } from 'vitest'
import type { BotSpec, WorkspaceId } from '../../domain/bot.ts'
import { createDoor, type DoorOptions, tokenIn } from './door.ts'

const WORKSPACE = 'workspace_1' as WorkspaceId
const OTHER = 'workspace_2' as WorkspaceId
const HOUR_MS = 3_600_000

function bench(options: Partial<DoorOptions> = {}) {
  let at = 1_800_000_000_000
  const door = createDoor({
    ...{ mode: 'signed', host: '127.0.0.1', secretKey: 'a-secret-key-for-tests' },
    ...{ publicUrl: () => 'https://bots.example/emissary', now: () => at },
    ...options,
  })
  return { door, pass: (ms: number) => (at += ms) }
}

const specOf = (url: string, meetingId: string) => ({ name: 'x', meeting: { platform: 'room', url, meetingId } }) as unknown as BotSpec

test('a link opens its own room until it expires, and after that only a seat that was taken', () => {
  const { door, pass } = bench()
  const { roomId, url, expiresAt } = door.invite({ workspaceId: WORKSPACE, name: 'daily', expiresInSeconds: 3_600 })
  expect(url).toMatch(/^https:\/\/bots\.example\/emissary\/room\/daily-[\w-]{12}\?token=\d+\.[\w-]{43}$/)
  expect(expiresAt).toEqual(new Date(1_800_000_000_000 + HOUR_MS))
  const token = tokenIn(url)
  expect(door.admit(roomId, token)).toBe('guest')
  expect(door.admit('daily', token)).toBe('refused')
  expect(door.admit(roomId, null)).toBe('refused')
  expect(door.admit(roomId, `${Number.parseInt(token ?? '', 10) + 1}${token?.slice(token.indexOf('.'))}`)).toBe('refused')
  pass(HOUR_MS)
  expect(door.admit(roomId, token)).toBe('expired')
})

test('a name leads to the same room again, and to another room in another workspace', () => {
  const { door } = bench()
  const idOf = (workspaceId: WorkspaceId, name?: string) =>
    door.invite({ workspaceId, ...(name !== undefined && { name }), expiresInSeconds: 60 }).roomId
  expect(idOf(WORKSPACE, 'daily')).toBe(idOf(WORKSPACE, 'daily'))
  expect(idOf(OTHER, 'daily')).not.toBe(idOf(WORKSPACE, 'daily'))
  expect(idOf(WORKSPACE)).not.toBe(idOf(WORKSPACE))
  expect(idOf(OTHER, 'x'.repeat(40))).toMatch(/^[\w-]{1,64}$/)
})

test('a bot opens its room with a token of its own, also when the link has expired, and nothing else passes for a bot', () => {
  const { door, pass } = bench()
  const { roomId, url } = door.invite({ workspaceId: WORKSPACE, expiresInSeconds: 60 })
  const ordered = door.forBot(specOf(url, roomId)).meeting.url
  expect(new URL(ordered).searchParams.getAll('token')).toHaveLength(1)
  pass(6 * HOUR_MS)
  expect(door.admit(roomId, tokenIn(ordered))).toBe('bot')
  expect(door.admit(roomId, tokenIn(url))).toBe('expired')
  expect(door.admit('another', tokenIn(ordered))).toBe('refused')
  pass(24 * HOUR_MS)
  expect(door.admit(roomId, tokenIn(ordered))).toBe('expired')
})

test('an open room takes everyone, and still knows its bots', () => {
  const { door } = bench({ mode: 'open' })
  const { url } = door.forBot(specOf('http://127.0.0.1:4000/room/a', 'a')).meeting
  expect([door.admit('a', null), door.admit('a', 'forged'), door.admit('a', tokenIn(url))]).toEqual(['guest', 'guest', 'bot'])
  const another = bench({ mode: 'open', secretKey: 'another-key-for-tests' }).door
  expect(another.admit('a', tokenIn(url))).toBe('guest')
})

test('rooms that are off let nobody in', () => {
  const { door } = bench({ mode: 'off' })
  const { url } = door.forBot(specOf('http://127.0.0.1:4000/room/a', 'a')).meeting
  expect([door.admit('a', null), door.admit('a', tokenIn(url))]).toEqual(['absent', 'absent'])
})

test.each([
  ['127.0.0.1', '', 'open'],
  ['::1', '', 'open'],
  ['localhost', 'http://127.0.0.1:4000', 'open'],
  ['0.0.0.0', '', 'signed'],
  ['::', '', 'signed'],
  ['10.0.0.5', '', 'signed'],
  ['127.0.0.1', 'https://bots.example', 'signed'],
])('a service on %s with the public address %j has rooms that are %s', (host, publicUrl, mode) => {
  expect(bench({ mode: undefined, host, publicUrl: () => publicUrl }).door.mode).toBe(mode)
})
