// A planned hand-over on a simulated platform: what both nodes, the people and the API see of it.
import { expect, onTestFinished } from 'vitest'
import { until } from '../until.ts'
import type { PlatformStage } from './platform-stage.ts'

const NAME = 'Note taker'

/** The settings of a node that drains. */
export const DRAINS = { DRAIN_SECONDS: '24' }

type Joinable = {
  readonly url: string
  /** The bots that are in. */
  inside(): readonly unknown[]
}

/** Sends a bot to a meeting that lets everyone in, and lets another node take it over while `others` are there. Returns the bot's id. */
export async function handOver(stage: PlatformStage, meeting: Joinable, others: readonly string[]): Promise<string> {
  const id = await stage.send(meeting, { bot_name: NAME, video_required: false })
  await stage.has(id, 'Recording')
  const holder = async () =>
    (
      await stage.service.db
        .selectFrom('bots')
        .select('node_id')
        .where('id', '=', id as never)
        .executeTakeFirstOrThrow()
    ).node_id
  const first = await holder()
  const other = await stage.startOtherNode()
  onTestFinished(() => other.stop())
  await until('the node knows the other one', async () => {
    const rows = await stage.service.db.selectFrom('nodes').select('id').where('free_seats', '>', 0).execute()
    return rows.length === 2
  })
  const counts: number[] = []
  const counting = setInterval(() => counts.push(meeting.inside().length), 20)
  await stage.service.drain()
  clearInterval(counting)

  expect(await holder()).not.toBe(first)
  expect([Math.min(...counts), Math.max(...counts)]).toEqual([1, 2])
  expect(meeting.inside()).toHaveLength(1)
  const { Status, Absences } = await stage.detail(id)
  expect({ Status, Absences }).toEqual({ Status: 'InMeeting', Absences: [] })
  const participants = await stage.read(id, 'get_participants')
  expect(participants.map(({ displayName }: { displayName: string }) => displayName).toSorted()).toEqual([...others])
  return id
}
