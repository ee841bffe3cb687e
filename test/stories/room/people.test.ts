// The built-in room with real browsers, checked by the colours and tones that each page receives.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { launchBrowser, type People, type Script, startPeople } from '../../../sims/room/people.ts'
import type { Person } from '../../../sims/room/person.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { receivesExactly, seesColour, startRoomServer, TONES } from '../../helpers/meetings/room.ts'
import { until } from '../../helpers/until.ts'

const PHONE = { width: 390, height: 844 }
const ADA: Script = { name: 'Ada', colour: '#b03060', tone: TONES.Ada, joinAt: null }
const BEN: Script = { name: 'Ben', colour: '#2e8b57', tone: TONES.Ben, shareColour: '#f2d024', joinAt: null }
const CY: Script = { name: 'Cy', colour: '#4060c0', tone: TONES.Cy, joinAt: null, viewport: PHONE }

const server = openForFile(startRoomServer)
const browser = openForFile(launchBrowser)

function cast(room: string, ...people: Script[]): Promise<People> {
  return startPeople({ browser, roomUrl: `${server.url}/room/${room}`, people })
}

const namesSeenBy = async (person: Person) =>
  (await person.sees())
    .filter((it) => it.kind === 'camera')
    .map((it) => it.name)
    .join()
const selfOf = (person: Person) => person.page.evaluate(() => Reflect.get(globalThis, 'emissaryRoom').self?.id as string)
const endingOf = async (person: Person) => {
  const screen = person.page.getByTestId('over')
  await screen.waitFor()
  return [await screen.getAttribute('data-ending'), await screen.locator('h1').textContent()]
}

async function fitsItsWidth(person: Person): Promise<void> {
  const [content, window] = await person.page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return [scrollWidth, clientWidth]
  })
  expect([content, window]).toEqual([PHONE.width, PHONE.width])
  // Every button is within the window.
  for (const button of await person.page.getByRole('button').all()) {
    const box = await button.boundingBox()
    if (box) expect(box.x >= 0 && box.x + box.width <= PHONE.width, (await button.getAttribute('aria-label')) ?? '').toBe(true)
  }
}

describe('three people in a room', () => {
  let people: People
  const named = (name: string) => people.named(name)
  beforeAll(async () => {
    people = await cast('trio', ADA, BEN, CY)
    for (const person of people.people) await person.join()
  })
  afterAll(() => people?.stop())

  test('shows each the colours of all, and plays only the tones of the others', async () => {
    for (const person of people.people) {
      for (const { name, colour } of [ADA, BEN, CY]) await seesColour(person, name, colour)
    }
    await receivesExactly(named('Ada'), 'Ben', 'Cy')
    await receivesExactly(named('Ben'), 'Ada', 'Cy')
    await receivesExactly(named('Cy'), 'Ada', 'Ben')
    await until('Ada is shown who speaks', async () => (await named('Ada').page.locator('.is-speaking').count()) === 3)
  })

  test('sends no audio of a muted person until the person unmutes', async () => {
    await named('Ben').mute()
    await receivesExactly(named('Ada'), 'Cy')
    await named('Ada').page.locator('[data-name="Ben"] [data-microphone="off"]').first().waitFor()
    await named('Ben').unmute()
    await receivesExactly(named('Ada'), 'Ben', 'Cy')
  })

  test('sends no video of a camera that is off until it is on again', async () => {
    await named('Ben').stopCamera()
    await seesColour(named('Ada'), 'Ben', null)
    await named('Ben').startCamera()
    await seesColour(named('Ada'), 'Ben', BEN.colour)
  })

  test('shows a shared screen beside the camera, also on a phone', async () => {
    await named('Ben').share()
    for (const name of ['Ada', 'Cy']) {
      await seesColour(named(name), 'Ben', '#f2d024', 'screen')
      await seesColour(named(name), 'Ben', BEN.colour)
    }
    await fitsItsWidth(named('Cy'))
    await named('Ben').stopSharing()
    await until('the screen is gone', async () => (await named('Ada').sees()).every((it) => it.kind === 'camera'))
  })

  test('sends chat to all, and chat, video and audio to a late person without devices', async () => {
    await named('Ada').write('Shall we begin?')
    await until('Ben has read it', () => named('Ben').chat.some((it) => it.text === 'Shall we begin?'))
    await named('Ben').write('Yes <b>please</b>')
    await until('Ada has read it', () => named('Ada').chat.some((it) => it.name === 'Ben' && it.text === 'Yes <b>please</b>'))

    const late = await cast('trio', { name: 'Dee', colour: '#000000', hasDevices: false, joinAt: null })
    onTestFinished(() => late.stop())
    const dee = late.named('Dee')
    await dee.join()
    await dee.page.getByTestId('toggle-chat').click()
    expect(await dee.page.getByTestId('chat-line-text').allTextContents()).toEqual(['Shall we begin?', 'Yes <b>please</b>'])
    await seesColour(dee, 'Ada', ADA.colour)
    await receivesExactly(dee, 'Ada', 'Ben', 'Cy')
    await seesColour(named('Ada'), 'Dee', null)

    await dee.closeTab()
    const since = performance.now()
    await until('Ada sees that Dee is gone', async () => (await namesSeenBy(named('Ada'))) === 'Ada,Ben,Cy')
    expect(performance.now() - since, 'leaves explicitly instead of timing out').toBeLessThan(5_000)
  })

  test('fits call screens on a phone', async () => {
    const { page } = named('Cy')
    await fitsItsWidth(named('Cy'))
    for (const panel of ['chat', 'people']) {
      await page.getByTestId(`toggle-${panel}`).click()
      await fitsItsWidth(named('Cy'))
      await page.getByTestId('close-panel').click()
    }
  })

  test('shows a dropped connection, which keeps its seat and its media', async () => {
    const before = await Promise.all(people.people.map(selfOf))
    const seen = named('Ben').events.length
    server.cut()
    await until('Ben noticed', () =>
      named('Ben')
        .events.slice(seen)
        .some((it) => it.connection === 'lost'),
    )
    for (const { page } of people.people) await page.waitForFunction(() => Reflect.get(globalThis, 'emissaryRoom').connection === 'up')
    expect(await Promise.all(people.people.map(selfOf))).toEqual(before)
    await named('Ben').write('Still here')
    await until('Ada has read it', () => named('Ada').chat.some((it) => it.text === 'Still here'))
    await receivesExactly(named('Ada'), 'Ben', 'Cy')
  })

  test('ends the call of people when the host removes them or ends the meeting', async () => {
    await named('Ada').remove('Cy')
    expect(await endingOf(named('Cy'))).toEqual(['removed', 'You were removed from the meeting'])
    await fitsItsWidth(named('Cy'))
    expect(await named('Ben').page.getByTestId('end').isVisible()).toBe(false)
    await named('Ada').endForAll()
    for (const name of ['Ada', 'Ben']) expect(await endingOf(named(name))).toEqual(['ended', 'The meeting has ended'])
  })
})

test('admits one waiting person, whose media all receive, and refuses another in a lobby room', async () => {
  const people = await cast('lobby', { ...ADA, query: { lobby: '1' }, viewport: PHONE }, BEN, { ...CY, query: { bot: '1' } })
  onTestFinished(() => people.stop())
  const [ada, ben, cy] = ['Ada', 'Ben', 'Cy'].map((name) => people.named(name)) as [Person, Person, Person]
  await ada.join()
  await ben.join()
  await cy.join()
  for (const guest of [ben, cy]) await guest.page.getByTestId('waiting').waitFor()
  await fitsItsWidth(ada)
  await fitsItsWidth(cy)

  await ada.decide('refuse', 'Cy')
  expect(await endingOf(cy)).toEqual(['refused', 'The host did not let you in'])
  await ada.decide('admit', 'Ben')
  await seesColour(ben, 'Ada', ADA.colour)
  await receivesExactly(ada, 'Ben')

  await ada.leave()
  await ben.page.getByTestId('end').waitFor()
  expect(await namesSeenBy(ben)).toBe('Ben')
})

test('runs scripted people by the clock, and lets them join again after the service restarts', async () => {
  const people = await cast(
    'clock',
    { name: 'Eve', colour: '#704214', joinAt: 0 },
    {
      name: 'Fay',
      colour: '#107896',
      joinAt: 0.5,
      say: [{ at: 2, text: 'This is a spoken sentence, long enough to be heard by everyone in this room.' }],
      chat: [{ at: 2.5, text: 'I said it' }],
      shareAt: 3,
      leaveAt: 5,
    },
  )
  onTestFinished(() => people.stop())
  const eve = people.named('Eve')
  await until('Eve hears Fay speak', async () => (await eve.listen()).some((it) => it.name === 'Fay' && it.rms > 0.03), 20_000)
  await people.played
  expect(JSON.stringify(eve.events)).toContain('"screen":true')
  expect(eve.chat.map(({ name, text }) => `${name}: ${text}`)).toEqual(['Fay: I said it'])
  await until('Fay is gone', async () => (await namesSeenBy(eve)) === 'Eve')

  const before = await selfOf(eve)
  await server.forget()
  await until('Eve is someone new', async () => ((await selfOf(eve)) ?? before) !== before, 10_000)
  expect(await namesSeenBy(eve)).toBe('Eve')
})

test('shows a ninth person that the meeting is full, and joins at once by a URL with a name', async () => {
  const seats = Array.from({ length: 8 }, () => new WebSocket(`${server.url.replace('http', 'ws')}/room/full/socket`))
  onTestFinished(() => {
    for (const seat of seats) seat.terminate()
  })
  const media = { microphone: false, camera: false, screen: false }
  await Promise.all(
    seats.map(
      (seat, index) =>
        new Promise((resolve) => {
          seat.on('open', () => seat.send(JSON.stringify({ kind: 'join', name: `Seat ${index}`, bot: false, lobby: false, media })))
          seat.on('message', (data) => data.toString().includes('entered') && resolve(null))
        }),
    ),
  )
  const page = await browser.newPage({ viewport: PHONE })
  onTestFinished(() => page.close())
  await page.goto(`${server.url}/room/full?name=Nina&join=1&mic=0&cam=0`)
  expect(await page.getByTestId('over').locator('h1').textContent()).toBe('The meeting is full')
  await page.goto(`${server.url}/room/free?name=Nina&join=1&mic=0&cam=0`)
  await page.locator('[data-testid="tile"][data-name="Nina"]').waitFor()
  expect(await page.evaluate(() => Reflect.get(globalThis, 'emissaryRoom').phase)).toBe('inside')
})
