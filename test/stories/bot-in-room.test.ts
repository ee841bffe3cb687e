// Real bots, sent through the API, in the built-in room.
import { expect, test } from 'vitest'
import type { Guest } from '../../sims/room/guest.ts'
import type { Script } from '../../sims/room/people.ts'
import { startReceiver } from '../helpers/callers/receiver.ts'
import { openForFile } from '../helpers/for-file.ts'
import { ADA, BEN, joinRoom, NO_VIDEO, withoutCamera } from '../helpers/meetings/bot-in-room.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { WITH_BOTS } from '../helpers/service/service.ts'
import { workerProcesses } from '../helpers/service/worker-processes.ts'
import { until } from '../helpers/until.ts'

const [ADA_WITHOUT_CAMERA, BEN_WITHOUT_CAMERA] = [withoutCamera(ADA), withoutCamera(BEN)]
const BOT = 'Emissary'

const hook = openForFile(startReceiver)
const service = serviceForFile(WITH_BOTS)

const link = (room: string): string => `${service.url}/room/${room}`

const cast = (room: string, ...people: Script[]) => joinRoom(link(room), ...people)

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
const sees = (person: Guest, name: string, there: boolean) =>
  until(
    `${person.name} ${there ? 'sees' : 'no longer sees'} ${name}`,
    async () => (await person.sees()).some((it) => it.name === name) === there,
    10_000,
  )

/** The events that the webhook receiver got for the bot, in order. */
async function receivedEvents(id: string): Promise<string[]> {
  const events = () => hook.received.filter((it) => it.body.bot_id === id).map((it) => `${it.body.bot_event} ${it.body.bot_status}`)
  await until('bot.done is delivered', async () => events().some((it) => it.startsWith('bot.done')), 60_000)
  return events()
}

test('joins by its name, posts its greeting and messages, and leaves on request', async () => {
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

  const read = async (what: string) => (await service.api('GET', `/api/v1/bots/${id}/${what}`)).body
  // Both play a tone without a pause.
  const haveSpoken = async () => (await read('get_participants')).every((it: { speaking_seconds: number }) => it.speaking_seconds > 0)
  await until('both have spoken', haveSpoken, 20_000)
  await people.named('Ben').write('Are we recorded?')
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

  expect(await service.api('GET', `/api/v1/bots/${id}/remove_bot`)).toMatchObject({ status: 200, body: { bot_id: id } })
  await sees(ada, 'Note taker', false)
  await isOver(id)
  const events = await receivedEvents(id)
  // Audio, video and transcript are made at the same time. The video contains the audio.
  const files = ['audio.processed audio.processed', 'video.processed video.processed']
  expect(events.filter((event) => files.includes(event))).toEqual(files)
  expect(events.filter((event) => !files.includes(event))).toEqual([
    ...['bot.joining Joining', 'bot.in_waiting_room InWaitingRoom', 'bot.inmeeting InMeeting', 'bot.recording Recording'],
    ...['bot.leaving Leaving', 'bot.stopped Stopped', 'bot.mediaprocessing MediaProcessing'],
    'bot.uploading bot.uploading',
    'transcription.processed transcription.processed',
    'bot.transcriptionready bot.transcriptionready',
    'bot.done Done',
  ])
  expect((await detail(id)).StatusTimeline.Stopped.message).toBe('Removed on request')
  expect((await service.api('DELETE', `/api/v1/bots/${id}/delete`)).body.deleted_objects).toBeGreaterThanOrEqual(4)
})

test('reports Denied when refused in the lobby, joins when admitted, and reports Kicked when removed', async () => {
  const people = await cast('lobby', { ...ADA_WITHOUT_CAMERA, query: { lobby: '1' } })
  const ada = people.named('Ada')
  const refused = await send('lobby', NO_VIDEO)
  await until('the bot waits', async () => (await detail(refused)).Status === 'InWaitingRoom', 20_000)
  await ada.decide('refuse', BOT)
  expect(await receivedEvents(refused)).toEqual([
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
  expect(await receivedEvents(admitted)).toContain('bot.kicked Stopped')
  expect((await detail(admitted)).ErrorReason).toBe('RemovedByParticipant')
})

test('reports NotAllowed with JoinTimeout when the host never admits it', async () => {
  await cast('patience', { ...ADA_WITHOUT_CAMERA, query: { lobby: '1' } })
  const id = await send('patience', { ...NO_VIDEO, join_at: new Date(Date.now() + 3_600_000).toISOString() })
  // The API allows no wait below one minute, which is too long for a test.
  const { spec } = await service.db.selectFrom('bots').select('spec').where('id', '=', id).executeTakeFirstOrThrow()
  const impatient = JSON.stringify({ ...spec, leave: { ...spec.leave, waitingRoomSeconds: 2 } })
  await service.db.updateTable('bots').set({ spec: impatient, launch_at: new Date() }).where('id', '=', id).execute()
  expect((await receivedEvents(id)).slice(-3)).toEqual(['bot.leaving Leaving', 'bot.notallowed NotAllowed', 'bot.done NotAllowed'])
  expect(await detail(id)).toMatchObject({ Status: 'NotAllowed', ErrorReason: 'JoinTimeout' })
})

test('leaves the meeting when another node has ended or claimed the bot', async () => {
  const ada = (await cast('stray', ADA_WITHOUT_CAMERA)).named('Ada')
  const id = await send('stray', NO_VIDEO)
  await isIn(id)
  await sees(ada, BOT, true)
  // Another node leaves the row like this when it takes the bot over.
  await service.db
    .updateTable('bots')
    .set({ fence: 9, node_id: 'node_other', launch_at: new Date(Date.now() + 3_600_000) })
    .where('id', '=', id)
    .execute()
  await sees(ada, BOT, false)
  expect((await detail(id)).Status).toBe('InMeeting')
})

test('ends as Stopped with a message when the host ends the meeting', async () => {
  const people = await cast('short', ADA_WITHOUT_CAMERA, BEN_WITHOUT_CAMERA)
  const id = await send('short', NO_VIDEO)
  await isIn(id)
  await people.named('Ada').endForAll()
  await isOver(id)
  expect((await detail(id)).StatusTimeline.Stopped.message).toBe('The meeting ended')
})

test('rejoins under the same id after its worker process is killed', async () => {
  const people = await cast('phoenix', ADA_WITHOUT_CAMERA)
  const ada = people.named('Ada')
  const id = await send('phoenix', NO_VIDEO)
  await isIn(id)
  await sees(ada, BOT, true)
  const before = ada.rosters.length
  for (const pid of workerProcesses()) process.kill(pid, 'SIGKILL')
  await until(
    'Ada sees it come again',
    async () => ada.rosters.slice(before).some((people) => people.some(({ name }) => name === BOT)) && (await fenceOf(id)) === 2,
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
  expect((await receivedEvents(id)).filter((it) => it === 'bot.inmeeting InMeeting')).toHaveLength(1)
})

test('posts messages that are sent at once as separate lines and confirms each', async () => {
  const ada = (await cast('at-once', ADA_WITHOUT_CAMERA)).named('Ada')
  const id = await send('at-once', NO_VIDEO)
  await isIn(id)
  const texts = ['One.', 'Two.', 'Three.', 'Four.', 'Five.']
  const answers = await Promise.all(texts.map((message) => service.api('POST', `/api/v1/bots/${id}/send_message`, { message })))
  expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 200))
  await until('Ada reads them', () => ada.chat.length >= texts.length, 10_000)
  expect(ada.chat.map(({ text }) => text).sort()).toEqual([...texts].sort())
  await service.api('GET', `/api/v1/bots/${id}/remove_bot`)
})

test('ends as Stopped when it is removed while it joins', async () => {
  await cast('too-soon', ADA_WITHOUT_CAMERA)
  const id = await send('too-soon', NO_VIDEO)
  expect(await service.api('GET', `/api/v1/bots/${id}/remove_bot`)).toMatchObject({ status: 200, body: { bot_id: id } })
  await isOver(id)
  const { ErrorReason, StatusTimeline } = await detail(id)
  expect([ErrorReason, StatusTimeline.Stopped?.message]).toEqual([null, 'Removed on request'])
  expect(StatusTimeline).not.toHaveProperty('Error')
})

test('ends a bot that hangs when it is removed', async () => {
  const ada = (await cast('hanging', ADA_WITHOUT_CAMERA)).named('Ada')
  const id = await send('hanging', NO_VIDEO)
  await isIn(id)
  await sees(ada, BOT, true)
  for (const pid of workerProcesses()) process.kill(pid, 'SIGSTOP')
  expect(await service.api('GET', `/api/v1/bots/${id}/remove_bot`)).toMatchObject({ status: 200, body: { bot_id: id } })
  await isOver(id)
  expect(await receivedEvents(id)).toEqual(expect.arrayContaining(['bot.leaving Leaving', 'bot.stopped Stopped', 'bot.done Done']))
  await sees(ada, BOT, false)
})

const fenceOf = async (id: string) =>
  (await service.db.selectFrom('bots').select('fence').where('id', '=', id).executeTakeFirstOrThrow()).fence
