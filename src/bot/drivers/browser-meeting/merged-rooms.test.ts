// Rooms whose people share one source of audio, by the tiles that the page draws.
import { expect, test } from 'vitest'
import { MergedRooms } from './merged-rooms.ts'
import { Users } from './users.ts'

const person = (id: string) => ({ id, name: id, presence: 'here', isSelf: false, parentId: null, isHost: null }) as const
const tile = (id: string, room: string | null) => ({ id, name: id, isSelf: false, sources: [], room })

function bench() {
  const users = new Users()
  for (const id of ['ann', 'ben', 'cy']) users.upsert(person(id), 0)
  const rooms = new MergedRooms(users)
  rooms.see([tile('ann', 'r1'), tile('ben', 'r1'), tile('cy', null)])
  return { users, rooms, names: () => rooms.participants(() => false).map(({ name }) => name) }
}

test('keeps a room while the page draws none or some of its tiles', () => {
  const { rooms, names } = bench()
  expect(names()).toEqual(['ann, ben'])
  rooms.see([tile('ann', 'r1')])
  expect(names()).toEqual(['ann, ben'])
  rooms.see([])
  expect(names()).toEqual(['ann, ben'])
  expect(rooms.speakerOf('ben')).toBe('room:r1')
})

test('ends a room when a tile is drawn without it, or its people leave', () => {
  const { users, rooms, names } = bench()
  rooms.see([tile('ben', null)])
  expect(names()).toEqual([])
  rooms.see([tile('ben', 'r1')])
  expect(names()).toEqual(['ann, ben'])
  users.remove('ben')
  rooms.see([])
  expect(names()).toEqual([])
  users.upsert(person('ben'), 1)
  expect(names(), 'a participant who returns may sit elsewhere').toEqual([])
})
