/// <reference lib="dom" />
// Meetings to be measured in: people with moving pictures and tones in the built-in room, all in one browser that nobody measures.
import { type Browser, chromium, type Page } from 'playwright-core'
import { type Part, type PartInPage, partScript } from './meeting-part.ts'
import type { BenchServer } from './server.ts'

export type MeetingSize = Pick<Part, 'width' | 'height' | 'framesPerSecond'> & { readonly people: number; readonly camera: boolean }

/** What has been sent so far to whoever came last, and when it was counted. Null where bytes are not counted. */
export type Sent = { readonly pictures: number; readonly packets: number; readonly bytes: number | null; readonly atMs: number }

export type Meeting = {
  readonly link: string
  readonly size: MeetingSize
  /** How many sounds and pictures are sent at a time. */
  readonly sends: Readonly<Record<'sound' | 'picture', number>>
  /** The page of one more person, without microphone and camera, comes in. */
  enter(page: Page): Promise<unknown>
  /** By all together. */
  sent(): Promise<Sent>
  end(): Promise<void>
}

type RoomMeeting = Meeting & { readonly pages: readonly Page[] }

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

/** Playwright's own answer to Ctrl-C would end the bench before the service is stopped. */
export const LAUNCH = {
  executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium',
  headless: false,
  handleSIGINT: false,
  handleSIGTERM: false,
  handleSIGHUP: false,
  chromiumSandbox: process.getuid?.() !== 0,
} as const

const VIEWPORT = { width: 480, height: 270 }
const IN_WITHIN_MS = 60_000
const LOWEST_TONE = 300
const TONE_STEP = 170

export async function peoplesBrowser(server: Pick<BenchServer, 'atEnd'>): Promise<Browser> {
  const browser = await chromium.launch({ ...LAUNCH, args: ['--headless=new', '--mute-audio', ...BROWSER_FLAGS] })
  server.atEnd(() => browser.close())
  return browser
}

/** Everybody is in when this settles. `tone: null` has them all keep quiet. */
export async function openMeeting(
  browser: Browser,
  link: string,
  size: MeetingSize,
  tone: number | null = LOWEST_TONE,
): Promise<RoomMeeting> {
  const pages: Page[] = []
  for (let index = 0; index < size.people; index++) {
    const { width, height, framesPerSecond } = size
    const part = { name: `Person ${index + 1}`, width, height, framesPerSecond, tone: tone === null ? null : tone + index * TONE_STEP }
    pages.push(await enter(browser, link, part, size.camera))
  }
  await Promise.all(pages.map(fallSilentForThoseInside))
  return {
    link,
    size,
    pages,
    sends: { sound: size.people, picture: size.camera ? size.people : 0 },
    enter: (page) => page.goto(`${link}?${new URLSearchParams({ name: 'Screen', join: '1', mic: '0', cam: '0' })}`),
    sent: async () => (await Promise.all(pages.map(sentTo))).reduce(added),
    end: async () => void (await Promise.all(pages.map((page) => page.context().close()))),
  }
}

async function enter(browser: Browser, link: string, part: Part, hasCamera: boolean): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT, permissions: ['microphone', 'camera'], bypassCSP: true })
  await context.addInitScript({ content: partScript(part) })
  const page = await context.newPage()
  await page.goto(`${link}?${new URLSearchParams({ name: part.name, join: '1', cam: hasCamera ? '1' : '0' })}`)
  await page.getByTestId('call').waitFor({ timeout: IN_WITHIN_MS })
  return page
}

/**
 * In a room without a server in the middle everybody sends to everybody, which four people on two cores would be busy with. From now
 * on they send only to whoever comes later; that is who is measured, and who gets exactly what it would have got.
 */
function fallSilentForThoseInside(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const { benchConnections } = window as unknown as PartInPage
    await Promise.all(benchConnections.flatMap((connection) => connection.getSenders().map((sender) => sender.replaceTrack(null))))
  })
}

/** The last connection that stands is the one to whoever came last. */
function sentTo(page: Page): Promise<Sent> {
  return page.evaluate(async () => {
    const { benchConnections } = window as unknown as PartInPage
    const latest = benchConnections.findLast(({ connectionState }) => connectionState === 'connected')
    const reports = [...((await latest?.getStats())?.values() ?? [])].filter(({ type }) => type === 'outbound-rtp')
    const total = (field: string) => reports.reduce((sum, report) => sum + (report[field] ?? 0), 0)
    // Sound has no frames, and the packets of pictures are of no interest.
    const packets = reports.reduce((sum, { kind, packetsSent }) => sum + (kind === 'audio' ? packetsSent : 0), 0)
    return { pictures: total('framesSent'), packets, bytes: total('bytesSent'), atMs: Date.now() }
  })
}

function added(a: Sent, b: Sent): Sent {
  // They are asked at once; whatever lies between their answers is the same before and after.
  return {
    pictures: a.pictures + b.pictures,
    packets: a.packets + b.packets,
    bytes: (a.bytes ?? 0) + (b.bytes ?? 0),
    atMs: (a.atMs + b.atMs) / 2,
  }
}
