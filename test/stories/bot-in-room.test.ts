// A real bot, sent through the API, in a real meeting with real browsers.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { launchBrowser, type People, type Script, startPeople } from '../../sims/people.ts'
import type { Person } from '../../sims/person.ts'
import { ADA, BEN, NO_VIDEO, withoutCamera } from '../helpers/bot-in-room.ts'
import { hostProcesses } from '../helpers/host-processes.ts'
import { type Receiver, startReceiver } from '../helpers/receiver.ts'
import { startTestService, type TestService, WITH_BOTS } from '../helpers/service.ts'
import { until } from '../helpers/until.ts'

const [HEARD_ADA, HEARD_BEN] = [withoutCamera(ADA), withoutCamera(BEN)]
const BOT = 'Emissary'

let service: TestService
let browser: Browser
let hook: Receiver
beforeAll(async () => {
  service = await startTestService(WITH_BOTS)
  browser = await launchBrowser()
  hook = await startReceiver()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
  await hook?.close()
})

const link = (room: string): string => `${service.url}/room/${room}`

async function cast(room: string, ...people: Script[]): Promise<People> {
  const it = await startPeople({ browser, roomUrl: link(room), people })
  onTestFinished(() => it.stop())
  for (const person of it.people) await person.join()
  return it
}

async function send(room: string, body: object = {}): Promise<string> {
  const { status, body: answer } = await service.api('POST', '/api/v1/bots/create_bot', {
    meeting_link: link(room),
    callback_url: `${hook.url}/${room}`,
    ...body,
  })
  expect(status, JSON.stringify(answer)).toBe(201)
  return answer.bot_id
}

const detail = async (id: string) => (await service.api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details
const isIn = (id: string) => until('the bot is in', async () => (await detail(id)).Status === 'InMeeting', 20_000)
const isOver = (id: string) => until('the bot is done', async () => 'Done' in (await detail(id)).StatusTimeline, 60_000)
const sees = (person: Person, name: string, there: boolean) =>
  until(
    `${person.name} ${there ? 'sees' : 'no longer sees'} ${name}`,
    async () => (await person.sees()).some((it) => it.name === name) === there,
    10_000,
  )

/** What the receiver was told of the bot, in order. */
async function told(id: string): Promise<string[]> {
  const heard = () => hook.received.filter((it) => it.body.bot_id === id).map((it) => `${it.body.bot_event} ${it.body.bot_status}`)
  await until('bot.done is delivered', async () => heard().some((it) => it.startsWith('bot.done')), 60_000)
  return heard()
}

test('joins by name, greets, writes what it is told to, and leaves on request', async () => {
  const people = await cast('visit', ADA, BEN)
  const ada = people.named('Ada')
  const id = await send('visit', { bot_name: 'Note taker', bot_message: 'Hello, I take notes.' })
  await isIn(id)
  await sees(ada, 'Note taker', true)
  await until(
    'Ada reads the greeting',
    async () => ada.chat.some((it) => it.name === 'Note taker' && it.text === 'Hello, I take notes.'),
    10_000,
  )

  const said = await service.api('POST', `/api/v1/bots/${id}/send_message`, { message: 'The numbers are in.' })
  expect(said).toMatchObject({ status: 200, body: { status: 'accepted', bot_id: id, command: 'send_message' } })
  await until('Ada reads it', async () => ada.chat.some((it) => it.text === 'The numbers are in.'), 5_000)
  expect((await service.api('DELETE', `/api/v1/bots/${id}/delete`)).status).toBe(409)
  expect((await service.api('GET', `/api/v1/bots/${id}/get_audio`)).status).toBe(202)

  await people.named('Ben').write('Are we recorded?')
  const read = async (what: string) => (await service.api('GET', `/api/v1/bots/${id}/${what}`)).body
  await until('the bot reads Ben', async () => (await read('get_chats')).metadata.totalMessages === 3, 5_000)
  const own = { speakerName: 'Note taker', deviceId: id, is_bot: true }
  const { metadata, chatMessages } = await read('get_chats')
  expect(metadata).toMatchObject({ uniqueSpeakers: 2, botId: id, meetingId: 'visit' })
  expect(chatMessages).toMatchObject([
    { ...own, text: 'Hello, I take notes.' },
    { ...own, text: 'The numbers are in.' },
    { text: 'Are we recorded?', speakerName: 'Ben', sessionTimestamp: expect.any(Number), is_bot: false },
  ])
  await people.named('Ben').leave()
  await until('Ben is gone', async () => (await read('get_participants')).some((it: { left_at: string | null }) => it.left_at), 10_000)
  const roster = await read('get_participants')
  const names = Object.fromEntries(
    roster.map((it: { displayName: string; humanized_status: string }) => [it.displayName, it.humanized_status]),
  )
  expect(names).toEqual({ Ada: 'in_meeting', Ben: 'not_in_meeting' })
  // Both play a tone all the time, so both have been heard.
  for (const it of roster) expect(it.speaking_seconds, it.displayName).toBeGreaterThan(0)

  expect(await service.api('GET', `/api/v1/bots/${id}/remove_bot`)).toMatchObject({ status: 200, body: { bot_id: id } })
  await sees(ada, 'Note taker', false)
  await isOver(id)
  expect(await told(id)).toEqual([
    'bot.joining Joining',
    'bot.in_waiting_room InWaitingRoom',
    'bot.inmeeting InMeeting',
    'bot.recording Recording',
    'bot.leaving Leaving',
    'bot.stopped Stopped',
    'bot.mediaprocessing MediaProcessing',
    'bot.uploading bot.uploading',
    'audio.processed audio.processed',
    'video.processed video.processed',
    'transcription.processed transcription.processed',
    'bot.transcriptionready bot.transcriptionready',
    'bot.done Done',
  ])
  expect((await detail(id)).StatusTimeline.Stopped.message).toBe('Removed on request')
  expect((await service.api('DELETE', `/api/v1/bots/${id}/delete`)).body.deleted_objects).toBeGreaterThanOrEqual(4)
})

test('a lobby: refused is Denied, admitted is in; removed by the host is Kicked', async () => {
  const people = await cast('lobby', { ...HEARD_ADA, query: { lobby: '1' } })
  const ada = people.named('Ada')
  const refused = await send('lobby', NO_VIDEO)
  await until('the bot waits', async () => (await detail(refused)).Status === 'InWaitingRoom', 20_000)
  await ada.decide('refuse', BOT)
  expect(await told(refused)).toEqual([
    'bot.joining Joining',
    'bot.in_waiting_room InWaitingRoom',
    'bot.leaving Leaving',
    'bot.denied Denied',
    'bot.done Denied',
  ])
  expect(await detail(refused)).toMatchObject({ Status: 'Denied', ErrorReason: 'HostDenied' })
  expect((await detail(refused)).Evidence[0]).toMatchObject({ step: 'enter', page_text: expect.stringContaining('did not let you in') })

  const admitted = await send('lobby', NO_VIDEO)
  await until('the bot waits', async () => (await detail(admitted)).Status === 'InWaitingRoom', 20_000)
  await ada.decide('admit', BOT)
  await isIn(admitted)
  await ada.remove(BOT)
  await isOver(admitted)
  expect(await told(admitted)).toContain('bot.kicked Stopped')
  expect((await detail(admitted)).ErrorReason).toBe('RemovedByParticipant')
})

test('never admitted is NotAllowed, with JoinTimeout', async () => {
  await cast('patience', { ...HEARD_ADA, query: { lobby: '1' } })
  const id = await send('patience', { ...NO_VIDEO, join_at: new Date(Date.now() + 3_600_000).toISOString() })
  // A minute is the shortest wait a caller may ask for, and too long for a test.
  const { spec } = await service.db.selectFrom('bots').select('spec').where('id', '=', id).executeTakeFirstOrThrow()
  const impatient = JSON.stringify({ ...spec, leave: { ...spec.leave, waitingRoomSeconds: 2 } })
  await service.db.updateTable('bots').set({ spec: impatient, launch_at: new Date() }).where('id', '=', id).execute()
  expect((await told(id)).slice(-3)).toEqual(['bot.leaving Leaving', 'bot.notallowed NotAllowed', 'bot.done NotAllowed'])
  expect(await detail(id)).toMatchObject({ Status: 'NotAllowed', ErrorReason: 'JoinTimeout' })
})

test('a bot that was ended or claimed elsewhere leaves the meeting by itself', async () => {
  const ada = (await cast('stray', HEARD_ADA)).named('Ada')
  const id = await send('stray', NO_VIDEO)
  await isIn(id)
  await sees(ada, BOT, true)
  // As another node leaves the row when it takes the bot over.
  await service.db
    .updateTable('bots')
    .set({ fence: 9, launch_at: new Date(Date.now() + 3_600_000) })
    .where('id', '=', id)
    .execute()
  await sees(ada, BOT, false)
  expect((await detail(id)).Status).toBe('InMeeting')
})

test('the host ends the meeting: Stopped, and the message says so', async () => {
  const people = await cast('short', HEARD_ADA, HEARD_BEN)
  const id = await send('short', NO_VIDEO)
  await isIn(id)
  await people.named('Ada').endForAll()
  await isOver(id)
  expect((await detail(id)).StatusTimeline.Stopped.message).toBe('The meeting ended')
})

test('a host process that is killed is survived: the bot comes back under the same id', async () => {
  const people = await cast('phoenix', HEARD_ADA)
  const ada = people.named('Ada')
  const id = await send('phoenix', NO_VIDEO)
  await isIn(id)
  await sees(ada, BOT, true)
  const before = ada.events.length
  for (const pid of hostProcesses()) process.kill(pid, 'SIGKILL')
  await until(
    'Ada sees it come again',
    async () => ada.events.slice(before).filter((it) => namesIn(it).includes(BOT)).length > 0 && (await fenceOf(id)) === 2,
    20_000,
  )
  await until(
    'it answers again',
    async () => (await service.api('POST', `/api/v1/bots/${id}/send_message`, { message: 'Back.' })).status === 200,
    20_000,
  )
  expect(await detail(id)).toMatchObject({ Status: 'InMeeting' })
  await service.api('GET', `/api/v1/bots/${id}/remove_bot`)
  await isOver(id)
  expect((await told(id)).filter((it) => it === 'bot.inmeeting InMeeting')).toHaveLength(1)
})

test('messages that are sent at once are lines of their own, and each is confirmed', async () => {
  const ada = (await cast('at-once', HEARD_ADA)).named('Ada')
  const id = await send('at-once', NO_VIDEO)
  await isIn(id)
  const texts = ['One.', 'Two.', 'Three.', 'Four.', 'Five.']
  const answers = await Promise.all(texts.map((message) => service.api('POST', `/api/v1/bots/${id}/send_message`, { message })))
  expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 200))
  await until('Ada reads them', () => ada.chat.length >= texts.length, 10_000)
  expect(ada.chat.map(({ text }) => text).sort()).toEqual([...texts].sort())
  await service.api('GET', `/api/v1/bots/${id}/remove_bot`)
})

test('remove_bot while the bot joins ends it as Stopped', async () => {
  await cast('too-soon', HEARD_ADA)
  const id = await send('too-soon', NO_VIDEO)
  expect(await service.api('GET', `/api/v1/bots/${id}/remove_bot`)).toMatchObject({ status: 200, body: { bot_id: id } })
  await isOver(id)
  const { ErrorReason, StatusTimeline } = await detail(id)
  expect([ErrorReason, StatusTimeline.Stopped?.message]).toEqual([null, 'Removed on request'])
  expect(StatusTimeline).not.toHaveProperty('Error')
})

test('remove_bot ends a bot that hangs', async () => {
  const ada = (await cast('hanging', HEARD_ADA)).named('Ada')
  const id = await send('hanging', NO_VIDEO)
  await isIn(id)
  await sees(ada, BOT, true)
  for (const pid of hostProcesses()) process.kill(pid, 'SIGSTOP')
  expect(await service.api('GET', `/api/v1/bots/${id}/remove_bot`)).toMatchObject({ status: 200, body: { bot_id: id } })
  await isOver(id)
  expect(await told(id)).toEqual(expect.arrayContaining(['bot.leaving Leaving', 'bot.stopped Stopped', 'bot.done Done']))
  await sees(ada, BOT, false)
})

const fenceOf = async (id: string) =>
  (await service.db.selectFrom('bots').select('fence').where('id', '=', id).executeTakeFirstOrThrow()).fence

function namesIn(event: { readonly kind: string; readonly people?: unknown }): string[] {
  return event.kind === 'people' ? (event.people as { name: string }[]).map(({ name }) => name) : []
}
