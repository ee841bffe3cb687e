import { expect, test } from 'vitest'
import type { BotId, WorkspaceId } from '../../../domain/bot.ts'
import type { DueBot } from '../../db/fleet/claims.ts'
import { PendingLaunches } from './pending-launches.ts'

const [A, B] = ['ws_a', 'ws_b'] as [WorkspaceId, WorkspaceId]
const bot = (id: string, workspaceId: WorkspaceId) => ({ id: id as BotId, fence: 1, workspaceId }) as DueBot

test('reserves seats of the bot’s own workspace first, and then a new browser', () => {
  const launching = new PendingLaunches()
  for (const it of [bot('a1', A), bot('a2', A), bot('b1', B)]) launching.add(it, 0)
  const left = launching.leave({ open: 3, seatsPerBrowser: 4, own: new Map([[A, 1]]) })
  expect(left).toEqual({
    open: 1,
    seatsPerBrowser: 4,
    own: new Map([
      [A, 3],
      [B, 3],
    ]),
  })
})

test('keeps a claim under a newer fence when the older one is deleted', () => {
  const launching = new PendingLaunches()
  launching.add({ ...bot('a1', A), fence: 2 }, 50)
  launching.delete(bot('a1', A))
  expect(launching.claims()).toMatchObject([{ botId: 'a1', fence: 2 }])
  launching.extend(new Set(['a1' as BotId]), 90)
  expect(launching.untilMs('a1' as BotId)).toBe(90)
})
