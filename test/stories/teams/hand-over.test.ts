// A bot in Microsoft Teams is handed over: for a moment two guests of its name are there, and neither counts the other.
import { expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { DRAINS, handOver } from '../../helpers/meetings/hand-over.ts'
import { TeamsStage } from '../../helpers/meetings/teams.ts'

const stage = openForFile(() => TeamsStage.open(undefined, DRAINS))

test('lets another node take the bot over without an absence, and without a participant of its name', async () => {
  const meeting = stage.meeting({ knock: 'admitted' })
  await meeting.call.join({ name: 'Ada', colour: '#dc1e1e', voice: 440 })
  const id = await handOver(stage, meeting, ['Ada'])
  expect(await stage.remove(id)).toMatchObject({ status: 200 })
  await stage.has(id, 'Stopped')
})
