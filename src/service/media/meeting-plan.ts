// The plan of one bot's recording, with the names and times of the participants from the database.
import type { BotId } from '../../domain/bot.ts'
import type { Manifest } from '../../domain/recording.ts'
import type { Db } from '../db/database.ts'
import { listParticipants } from '../db/fleet/meetings.ts'
import { type MediaPlan, planMedia } from './plan.ts'

/** In a meeting that runs, a participant who has not left is there to the end of the plan. After it, until they were last seen. */
export async function planMeeting(db: Db, botId: BotId, manifest: Manifest, { isRunning }: { isRunning: boolean }): Promise<MediaPlan> {
  const { startedAt } = planMedia(manifest)
  const people = await listParticipants(db, botId)
  const since = (moment: Date) => Math.max(0, moment.getTime() - (startedAt ?? moment.getTime()))
  return planMedia(
    manifest,
    people.map(({ id, name, joinedAt, leftAt, updatedAt }) => {
      const toMs = leftAt === null && isRunning ? Number.POSITIVE_INFINITY : since(leftAt ?? updatedAt)
      return { id, name, present: [{ fromMs: since(joinedAt), toMs }] }
    }),
  )
}
