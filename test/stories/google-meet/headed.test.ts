// Joining Google Meet in a headed browser: input through the display server, and through the page if that fails.
import { expect, onTestFinished, test } from 'vitest'
import { type Scenario, startMeet } from '../../../sims/google-meet/meet.ts'
import { Browsers } from '../../../src/bot/drivers/browsers.ts'
import { type DisplayPrograms, displayPrograms } from '../../../src/bot/drivers/display.ts'
import { driverOf } from '../../../src/bot/drivers/registry.ts'
import { createOutgoingMedia } from '../../../src/bot/outgoing/outgoing.ts'
import { LEAVE_DEFAULTS } from '../../../src/domain/automatic-leave.ts'
import type { BotSpec } from '../../../src/domain/bot.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { workerTools } from '../../helpers/meetings/driver-tools.ts'
import { MeetStage } from '../../helpers/meetings/google-meet.ts'
import { processesUnderWorkers } from '../../helpers/service/worker-processes.ts'
import { until } from '../../helpers/until.ts'

const LONG = 90_000
const NAME = "Emissary (Zoe's) #7"
const NEVER = new AbortController().signal

type Seen = {
  readonly type: string
  readonly x: number
  readonly y: number
  readonly trusted: boolean
  readonly key: string
  readonly on: string
}

/** Records the input events that reach the page, as a suspicious site could. */
const WITNESS = `{
  const seen = window.witnessed = []
  const note = (event) => seen.push({
    type: event.type, x: event.screenX, y: event.screenY, trusted: event.isTrusted, key: event.key ?? '',
    on: event.target.closest?.('button, input')?.getAttribute('aria-label') ?? event.target.closest?.('button, input')?.textContent ?? '',
  })
  for (const type of ['pointermove', 'pointerdown', 'click', 'keydown', 'input']) addEventListener(type, note, true)
}`

const meet = openForFile(startMeet)
let meetings = 0

async function knock(name: string, programs: DisplayPrograms, scenario: Partial<Scenario> = {}) {
  const browsers = new Browsers<object>({
    mode: 'auto',
    executable: undefined,
    flags: meet.flags,
    programs,
    log: () => undefined,
    onDied: () => undefined,
  })
  onTestFinished(() => browsers.close())
  const { profile, create } = driverOf('google_meet')
  const opened = await browsers.take(profile.browser, {})
  meetings += 1
  const meeting = meet.meeting(`hea-dedx-${String.fromCharCode(96 + meetings)}bc`, scenario)
  const spec: Partial<BotSpec> = {
    name,
    meeting: { kind: 'link', platform: 'google_meet', meetingId: meeting.code, url: meeting.url, joinable: true, reason: null },
    leave: LEAVE_DEFAULTS,
  }
  const scripts = [createOutgoingMedia().initScript, WITNESS]
  const driver = await create({ ...workerTools(), ...opened, spec: spec as BotSpec, scripts })
  onTestFinished(() => driver.leave('at once'))
  expect(await driver.knock(NEVER)).toEqual({ kind: 'asked' })
  const seen = (await driver.page.run('window.witnessed')) as readonly Seen[]
  return { meeting, driver, seen, opened }
}

const of = (seen: readonly Seen[], ...types: readonly string[]) => seen.filter(({ type }) => types.includes(type))

test('knocks with the pointer and keyboard of the display', { timeout: LONG }, async () => {
  const { meeting, driver, seen, opened } = await knock(NAME, displayPrograms(), { devicesOn: true })
  expect(opened.display).not.toBeNull()
  expect(meeting.knocks()).toMatchObject([{ name: NAME }])
  expect(await driver.page.run('navigator.userAgent')).not.toContain('Headless')
  expect(await driver.page.run('[innerWidth, innerHeight, screen.width, screen.height].join()')).toBe('1280,720,1930,1090')

  expect(seen.every(({ trusted }) => trusted)).toBe(true)
  const keys = of(seen, 'keydown').map(({ key }) => key)
  expect(keys.filter((key) => key.length === 1).join(''), 'each character is a key of its own, after Ctrl+A').toBe(`a${NAME}`)
  expect(of(seen, 'input'), 'the name comes character by character').toHaveLength(NAME.length)

  const clicks = of(seen, 'click')
  expect(clicks.at(-1)?.on).toMatch(/Ask to join/)
  for (const click of clicks) {
    const path = of(seen.slice(0, seen.indexOf(click)), 'pointermove')
    const { x = 0, y = 0 } = path.at(-1) ?? {}
    expect(Math.hypot(click.x - x, click.y - y), 'the pointer is where it presses').toBeLessThan(3)
    // The page begins below the window's title and address bars.
    expect(click.y).toBeGreaterThan(50)
  }
  expect(of(seen, 'pointermove').length, 'it has come there on a path').toBeGreaterThan(clicks.length * 3)
})

test('knocks with the page’s own input when xdotool is missing or fails', { timeout: LONG }, async () => {
  const { xvfb } = displayPrograms()
  for (const xdotool of [undefined, '/bin/false']) {
    const { meeting, seen, opened } = await knock(NAME, { xvfb, xdotool })
    expect(opened.display).not.toBeNull()
    expect(meeting.knocks()).toMatchObject([{ name: NAME }])
    expect(of(seen, 'keydown')).toEqual([])
    expect(of(seen, 'click').at(-1)).toMatchObject({ on: expect.stringMatching(/Ask to join/), trusted: true })
  }
})

test('types a name that is on no keyboard with the page’s own input', { timeout: LONG }, async () => {
  const { meeting, seen } = await knock('Zoë 议', displayPrograms())
  expect(meeting.knocks()).toMatchObject([{ name: 'Zoë 议' }])
  expect(of(seen, 'keydown')).toEqual([])
  expect(of(seen, 'pointermove').length, 'the pointer is still the display’s').toBeGreaterThan(3)
})

test('lets bots of one worker share a display, knock at once, and take screenshots as headless ones do', {
  timeout: LONG * 2,
}, async () => {
  const stage = await MeetStage.open({}, { BROWSER_MODE: 'auto' })
  onTestFinished(() => stage.close())
  const rooms = ['Emissary one', 'Emissary two'].map((name) => ({ name, meeting: stage.meeting({ knock: 'lobby', devicesOn: true }) }))
  const bots = await Promise.all(rooms.map(({ name, meeting }) => stage.send(meeting, { bot_name: name })))
  for (const { name, meeting } of rooms) {
    await until(`${name} knocks`, () => meeting.knocks().length > 0, LONG)
    expect(meeting.knocks()).toMatchObject([{ name }])
    meeting.admit()
  }
  expect(processesUnderWorkers('-displayfd')).toHaveLength(1)
  for (const id of bots) {
    await stage.has(id, 'InMeeting', LONG)
    await until('a picture is taken', async () => (await stage.command(id, 'take_screenshot')).status === 200, 20_000)
  }
})
