// Commands that are rejected before they reach the bot.
import { expect, test } from 'vitest'
import { botInMeeting } from '../helpers/service/bot-in-meeting.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'

const service = serviceForFile()

test.each(['', ' ', '\n\t '])('rejects the blank message %j', async (message) => {
  const id = await botInMeeting(service)
  const answer = await service.api('POST', `/api/v1/bots/${id}/send_message`, { message })
  expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^message must /) } })
})

const BODIES = {
  send_message: { message: 'Hello' },
  send_image: { img_url: 'https://files.example/picture.png' },
  speak: { text: 'Hello' },
  take_screenshot: undefined,
  pause_recording: undefined,
  resume_recording: undefined,
}

// From the specification: every other command is supported on every platform.
test.each([
  ['https://zoom.us/j/81234567890', ['take_screenshot']],
  ['https://meet.google.com/abc-defg-hij', []],
  ['https://teams.microsoft.com/meet/2345678901234?p=abcDEF', []],
  ['https://call.whatsapp.com/video/AbCdEfGhIjKlMnOpQrStUv', ['send_message', 'send_image', 'take_screenshot']],
])('allows %s every command except %j', async (meeting_link, lacking) => {
  const join_at = new Date(Date.now() + 3_600_000).toISOString()
  const { bot_id } = (await service.api('POST', '/api/v1/bots/create_bot', { meeting_link, join_at })).body
  const unsupported: string[] = []
  for (const [command, body] of Object.entries(BODIES)) {
    const answer = await service.api('POST', `/api/v1/bots/${bot_id}/${command}`, body)
    if (answer.body.code === 'unsupported_command') unsupported.push(`${answer.status} ${command}`)
    else expect(answer, command).toMatchObject({ status: 409, body: { bot_status: 'Scheduled' } })
  }
  expect(unsupported).toEqual(lacking.map((command) => `400 ${command}`))
})
