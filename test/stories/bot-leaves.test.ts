// Bots that leave by the rules of automatic_leave.
import { expect, test } from 'vitest'
import type { LeaveRules } from '../../src/domain/automatic-leave.ts'
import { ADA, NO_VIDEO, Stage, withoutCamera } from '../helpers/meetings/bot-in-room.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { WITH_BOTS } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const LONG_MS = 120_000

const stage = new Stage(serviceForFile(WITH_BOTS))

/** Sends a bot with waits below the API's minimum, which a test cannot wait for. */
async function impatient(room: string, leave: Partial<LeaveRules>, body: object = {}): Promise<string> {
  const id = await stage.send(room, { ...NO_VIDEO, join_at: new Date(Date.now() + 3_600_000).toISOString(), ...body })
  const { db } = stage.service
  const { spec } = await db.selectFrom('bots').select('spec').where('id', '=', id).executeTakeFirstOrThrow()
  const changed = JSON.stringify({ ...spec, leave: { ...spec.leave, ...leave } })
  await db.updateTable('bots').set({ spec: changed, launch_at: new Date() }).where('id', '=', id).execute()
  return id
}

const stopped = async (id: string): Promise<string> => {
  await stage.has(id, 'Stopped')
  return (await stage.detail(id)).StatusTimeline.Stopped.message
}

test(
  'leaves when everyone has left, when no one joins, and when the call is too long',
  async () => {
    const ada = (await stage.cast('left-alone', withoutCamera(ADA))).named('Ada')
    const [leftAlone, empty, long] = await Promise.all([
      impatient('left-alone', { everyoneLeftSeconds: 3 }),
      impatient('nobody-comes', { nobodyJoinedSeconds: 3 }),
      impatient('too-long', { longestCallSeconds: 4 }),
    ])
    await stage.has(leftAlone, 'Recording')
    await until('the bot sees Ada', async () => (await stage.read(leftAlone, 'get_participants')).length === 1, 10_000)
    await ada.leave()
    expect(await stopped(leftAlone)).toBe('Everyone else has been gone for 3 s')
    expect(await stopped(empty)).toBe('No other participant joined within 3 s')
    expect(await stopped(long)).toBe('The call reached its longest recording time of 4 s')
  },
  LONG_MS,
)

test(
  'leaves when no one speaks, and when only bots are left',
  async () => {
    const ada = (await stage.cast('silence', withoutCamera(ADA))).named('Ada')
    await ada.mute()
    await stage.cast('bots-only', { ...withoutCamera(ADA), name: 'Another Notetaker' })
    const onlyBots = { matches: ['notetaker'], activateAfterSeconds: 3, timeoutSeconds: 2 }
    const [silent, surrounded] = await Promise.all([impatient('silence', { silenceSeconds: 4 }), impatient('bots-only', { onlyBots })])
    expect(await stopped(silent)).toBe('No participant has spoken for 4 s')
    expect(await stopped(surrounded)).toBe('Only bots are left in the meeting')
  },
  LONG_MS,
)
