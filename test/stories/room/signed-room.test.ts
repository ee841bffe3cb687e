// A bot in a signed room with real browsers: a name of maximal length, and a room full of guests.
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { launchBrowser, startPeople } from '../../../sims/room/people.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { ADA, BEN } from '../../helpers/meetings/bot-in-room.ts'
import { receivesExactly, seesColour } from '../../helpers/meetings/room.ts'
import { serviceForFile } from '../../helpers/service/for-file.ts'
import { WITH_BOTS } from '../../helpers/service/service.ts'
import { until } from '../../helpers/until.ts'

const LONG_NAME = `${'Note taker of the weekly meeting, '.repeat(3).slice(0, 99)}!`
const PATIENT_MS = 60_000

const service = serviceForFile({ ...WITH_BOTS, ROOM: 'signed' })
const browser = openForFile(launchBrowser)

const invite = async (name: string): Promise<string> => (await service.api('POST', '/api/v1/rooms', { name })).body.room_url

async function send(link: string, body: object = {}): Promise<string> {
  const { status, body: answer } = await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: link, ...body })
  expect(status, JSON.stringify(answer)).toBe(201)
  return answer.bot_id
}

const timeline = async (id: string) => (await service.api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details.StatusTimeline
const isIn = (id: string) => until('the bot is in', async () => 'InMeeting' in (await timeline(id)), PATIENT_MS)

async function leaves(id: string): Promise<void> {
  await service.api('GET', `/api/v1/bots/${id}/remove_bot`)
  await until('the bot is out', async () => 'Stopped' in (await timeline(id)), PATIENT_MS)
}

test('joins a bot with a name of 100 characters and two people by a signed link', async () => {
  expect(LONG_NAME).toHaveLength(100)
  const link = await invite('long-name')
  const people = await startPeople({ browser, roomUrl: link, people: [ADA, BEN] })
  onTestFinished(() => people.stop())
  for (const person of people.people) await person.join()
  const id = await send(link, { bot_name: LONG_NAME })
  await isIn(id)
  const [ada, ben] = [people.named('Ada'), people.named('Ben')]
  await until('Ada sees the bot', async () => (await ada.sees()).some((it) => it.name === LONG_NAME), PATIENT_MS)
  await seesColour(ada, 'Ben', BEN.colour)
  await receivesExactly(ben, 'Ada')

  // Long names end in an ellipsis, so neither the caption nor the page overflows.
  await ada.page.getByTestId('toggle-people').click()
  const widths = await ada.page.evaluate(() => {
    const isWithin = (inner: Element, outer: Element | null) =>
      outer !== null && inner.getBoundingClientRect().right <= outer.getBoundingClientRect().right
    const names = [...document.querySelectorAll('.tile-caption, .row-buttons')]
    return [names.every((it) => isWithin(it, it.closest('.tile, .panel'))), document.documentElement.scrollWidth <= innerWidth]
  })
  expect(widths).toEqual([true, true])

  // The bot receives audio, because candidates of guests on this machine are allowed.
  const speakers = async () => {
    const { body } = await service.api('GET', `/api/v1/bots/${id}/get_participants`)
    return Array.isArray(body) ? body.filter((it) => it.speaking_seconds > 0).map((it) => it.displayName) : []
  }
  await until('the bot has received audio of both', async () => (await speakers()).toSorted().join() === 'Ada,Ben', PATIENT_MS)
  await leaves(id)
}, 180_000)

test('admits a bot to a room that eight guests have filled', async () => {
  const link = await invite('crowded')
  const url = new URL(link)
  url.protocol = 'ws:'
  url.pathname += '/socket'
  const guests = Array.from({ length: 8 }, () => new WebSocket(url))
  onTestFinished(() => {
    for (const guest of guests) guest.terminate()
  })
  const entered = guests.map(
    (socket, index) =>
      new Promise<void>((resolve) => {
        const media = { microphone: false, camera: false, screen: false }
        socket.on('open', () => socket.send(JSON.stringify({ kind: 'join', name: `Stranger ${index}`, bot: true, lobby: false, media })))
        socket.on('message', (data) => JSON.parse(data.toString()).kind === 'entered' && resolve())
      }),
  )
  await Promise.all(entered)
  const id = await send(link)
  await isIn(id)
  await leaves(id)
}, 120_000)
