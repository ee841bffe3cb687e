// A bot in Google Meet is handed over: for a moment two guests of its name are there, and neither counts the other.
import { expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { MeetStage } from '../../helpers/meetings/google-meet.ts'
import { DRAINS, handOver } from '../../helpers/meetings/hand-over.ts'

const stage = openForFile(() => MeetStage.open({}, DRAINS))

test('lets another node take the bot over without an absence, and without a participant of its name', async () => {
  const meeting = stage.meeting({ knock: 'admitted' })
  await meeting.space.join({ name: 'Ada', colour: '#dc1e1e', voice: 440 })
  const id = await handOver(stage, meeting, ['Ada'])
  expect(await stage.remove(id)).toMatchObject({ status: 200 })
  await stage.has(id, 'Stopped')
})
