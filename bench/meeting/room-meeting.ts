/// <reference lib="dom" />
// Meetings in the built-in room: people with moving cameras and tones, all in one browser that is not measured.
import { type Browser, chromium, type Page } from 'playwright-core'
import type { BenchServer } from '../harness/server.ts'
import { encodedCameraScript } from './encoded-camera.ts'
import { type FakeDevices, fakeDevicesScript, type PageWithFakeDevices } from './fake-devices.ts'
import { personDevicesScript } from './people-devices.ts'

export type MeetingSize = Pick<FakeDevices, 'width' | 'height' | 'framesPerSecond'> & { readonly people: number; readonly camera: boolean }

/** Frames, audio packets and bytes sent so far to the participant that joined last. `bytes` is null if they are not counted. */
export type Sent = { readonly frames: number; readonly packets: number; readonly bytes: number | null; readonly atMs: number }

export type Meeting = {
  readonly link: string
  readonly size: MeetingSize
  /** Tracks that a participant receives at a time. */
  readonly trackCounts: Readonly<Record<'audio' | 'video', number>>
  /** Joins from a page without microphone and camera. */
  enter(page: Page): Promise<unknown>
  /** The sum over all senders. */
  sent(): Promise<Sent>
  end(): Promise<void>
}

type RoomMeeting = Meeting & {
  readonly pages: readonly Page[]
  /** The first person shares a screen with the participant that joined last, or stops. */
  share(on: boolean): Promise<void>
}

/** `tone: null` makes all of them silent. `talks`: people as in `people-devices.ts`, each with its part of the conversation. */
type People = { readonly tone?: number | null; readonly talks?: readonly string[] }

export const BROWSER_FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
  '--allow-loopback-in-peer-connection',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
]

/** Playwright's own signal handlers would end the bench before it has stopped the service. */
export const LAUNCH = {
  executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium',
  headless: false,
  handleSIGINT: false,
  handleSIGTERM: false,
  handleSIGHUP: false,
  chromiumSandbox: process.getuid?.() !== 0,
} as const

const VIEWPORT = { width: 480, height: 270 }
const JOIN_WITHIN_MS = 60_000
const LOWEST_TONE = 300
const TONE_STEP = 170

export async function launchPeopleBrowser(server: Pick<BenchServer, 'atEnd'>): Promise<Browser> {
  const browser = await chromium.launch({ ...LAUNCH, args: ['--headless=new', '--mute-audio', ...BROWSER_FLAGS] })
  server.atEnd(() => browser.close())
  return browser
}

/** Resolves when everybody has joined. */
export async function openMeeting(
  browser: Browser,
  link: string,
  size: MeetingSize,
  { tone = LOWEST_TONE, talks = [] }: People = {},
): Promise<RoomMeeting> {
  const pages: Page[] = []
  for (let index = 0; index < size.people; index++) {
    const { width, height, framesPerSecond } = size
    const devices = { name: `Person ${index + 1}`, width, height, framesPerSecond, tone: tone === null ? null : tone + index * TONE_STEP }
    const talk = talks[index]
    const ofPerson = [fakeDevicesScript(devices), ...(talk === undefined ? [] : [personDevicesScript({ ...devices, talk })])]
    const scripts = [encodedCameraScript(), ...ofPerson]
    pages.push(await enter(browser, { link, name: devices.name, scripts, hasCamera: size.camera }))
  }
  await Promise.all(pages.map((page) => stopSendingToPresentPeople(page)))
  return {
    link,
    size,
    pages,
    trackCounts: { audio: size.people, video: size.camera ? size.people : 0 },
    enter: (page) => page.goto(`${link}?${new URLSearchParams({ name: 'Screen', join: '1', mic: '0', cam: '0' })}`),
    async share(on) {
      const [first] = pages
      await first?.getByTestId('screen').click()
      if (on && first) await stopSendingToPresentPeople(first, 1)
    },
    sent: async () => (await Promise.all(pages.map(sentToNewest))).reduce(add),
    end: async () => void (await Promise.all(pages.map((page) => page.context().close()))),
  }
}

type Visit = { readonly link: string; readonly name: string; readonly scripts: readonly string[]; readonly hasCamera: boolean }

async function enter(browser: Browser, { link, name, scripts, hasCamera }: Visit): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT, permissions: ['microphone', 'camera'], bypassCSP: true })
  for (const content of scripts) await context.addInitScript({ content })
  const page = await context.newPage()
  await page.goto(`${link}?${new URLSearchParams({ name, join: '1', cam: hasCamera ? '1' : '0' })}`)
  await page.getByTestId('call').waitFor({ timeout: JOIN_WITHIN_MS })
  return page
}

/**
 * The room is a mesh, and four people who send to each other would use up two cores. From here on they send only to participants that
 * join later. Those are the measured ones, and they receive exactly what they would have received anyway. The newest `except` are left out.
 */
function stopSendingToPresentPeople(page: Page, except = 0): Promise<void> {
  return page.evaluate(async (except) => {
    const { benchConnections } = window as unknown as PageWithFakeDevices
    const open = benchConnections.filter(({ connectionState }) => connectionState === 'connected')
    const present = except === 0 ? benchConnections : open.slice(0, -except)
    await Promise.all(present.flatMap((connection) => connection.getSenders().map((sender) => sender.replaceTrack(null))))
  }, except)
}

/** The last open connection is the one to the participant that joined last. */
function sentToNewest(page: Page): Promise<Sent> {
  return page.evaluate(async () => {
    const { benchConnections } = window as unknown as PageWithFakeDevices
    const latest = benchConnections.findLast(({ connectionState }) => connectionState === 'connected')
    const reports = [...((await latest?.getStats())?.values() ?? [])].filter(({ type }) => type === 'outbound-rtp')
    const total = (field: string) => reports.reduce((sum, report) => sum + (report[field] ?? 0), 0)
    const packets = reports.reduce((sum, { kind, packetsSent }) => sum + (kind === 'audio' ? packetsSent : 0), 0)
    return { frames: total('framesSent'), packets, bytes: total('bytesSent'), atMs: Date.now() }
  })
}

/** Pages are asked at once. The spread of their answers is the same before and after a measurement, so their mean time is used. */
function add(a: Sent, b: Sent): Sent {
  return {
    frames: a.frames + b.frames,
    packets: a.packets + b.packets,
    bytes: (a.bytes ?? 0) + (b.bytes ?? 0),
    atMs: (a.atMs + b.atMs) / 2,
  }
}
