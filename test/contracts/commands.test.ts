// What is asked of a bot in a meeting, as far as it is refused before the bot is asked.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { botInMeeting } from '../helpers/bot-in-meeting.ts'
import { startTestService, type TestService } from '../helpers/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

test.each(['', ' ', '\n\t '])('refuses the blank message %j', async (message) => {
  const id = await botInMeeting(service)
  const answer = await service.api('POST', `/api/v1/bots/${id}/send_message`, { message })
  expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^message must /) } })
})
