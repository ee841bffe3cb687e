/// <reference lib="dom" />
// A plain browser at the simulated Microsoft Teams, and measurements of its page's audio and video.
import { type BrowserContext, chromium, type Frame, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { MicrosoftAccountsOptions } from '../../../sims/microsoft-accounts/accounts.ts'
import type { Waiting } from '../../../sims/teams/site/control.ts'
import type { LinkForm } from '../../../sims/teams/site/links.ts'
import { type Meeting, type Scenario, startTeams, type Teams } from '../../../sims/teams/teams.ts'
import { until } from '../until.ts'
import { listenIn } from './teams-protocol.ts'

export type Visited = { readonly meeting: Meeting; readonly page: Page }

export type TeamsBrowser = {
  readonly teams: Teams
  readonly context: BrowserContext
  /** A new meeting, and a page that has opened a link to it. */
  visit(scenario?: Partial<Scenario>, form?: LinkForm): Promise<Visited>
  /** As `visit`, but the page has not opened anything yet. */
  prepare(scenario?: Partial<Scenario>): Promise<Visited>
  newPage(): Promise<Page>
  close(): Promise<void>
}

const FLAGS = [
  ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--mute-audio'],
  ...['--allow-loopback-in-peer-connection', '--use-fake-device-for-media-stream', '--autoplay-policy=no-user-gesture-required'],
]
const ORIGINS = ['https://teams.microsoft.com', 'https://teams.live.com', 'https://teams.cloud.microsoft']
const BROWSER_MS = 20_000

export async function openTeams(accounts: MicrosoftAccountsOptions = { accounts: [] }, locale = 'en-US'): Promise<TeamsBrowser> {
  const teams = await startTeams(accounts)
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: false, args: [...FLAGS, ...teams.flags] })
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, locale })
  for (const origin of ORIGINS) await context.grantPermissions(['microphone', 'camera'], { origin })
  await context.addInitScript(listenIn)
  const newPage = async () => {
    const page = await context.newPage()
    onTestFinished(() => page.close())
    return page
  }
  // A camera costs more than the rest of the page.
  const prepare = async (scenario: Partial<Scenario> = {}) => ({
    meeting: teams.meeting({ devicesOn: false, ...scenario }),
    page: await newPage(),
  })
  return {
    teams,
    context,
    newPage,
    prepare,
    async visit(scenario, form) {
      const { meeting, page } = await prepare(scenario)
      await page.goto(form ? meeting.links[form] : meeting.url, { waitUntil: 'domcontentloaded' })
      return { meeting, page }
    },
    async close() {
      await browser.close()
      await teams.stop()
    },
  }
}

/** By script: after the launcher has tried to open the app, the browser may drop mouse events of that tab. */
export async function pressByScript(page: Page, tid: string): Promise<void> {
  await page.locator(`button[data-tid="${tid}"]:enabled`).evaluate((button: HTMLElement) => button.click())
}

export async function askToJoin(page: Page | Frame, name = 'Notetaker'): Promise<void> {
  await page.locator('[data-tid="prejoin-display-name-input"]').fill(name)
  await page.locator('[data-tid="prejoin-join-button"]').click()
}

/** As `until`, with a deadline for a browser on a busy machine. */
export function eventually<Answer>(what: string, probe: () => Answer | Promise<Answer>): Promise<NonNullable<Answer>> {
  return until(what, probe, BROWSER_MS)
}

export function isWaiting(meeting: Meeting): Promise<Waiting> {
  return eventually('it waits in the lobby', () => meeting.waiting()[0])
}

/** The pressed controls, by names that do not depend on the language. */
export function presses(meeting: Meeting): readonly string[] {
  return meeting.pressed.map(({ control }) => control)
}

/** In the tile with this name: a person's camera or shared screen. */
export async function seesColour(page: Page, name: string, wanted: readonly number[], type = 'Video'): Promise<void> {
  const isSeen = async () => {
    const colour = await colourOf(page, name, type)
    return colour?.every((value, at) => Math.abs(value - (wanted[at] ?? 0)) < 40)
  }
  await eventually(`${name} is seen in ${wanted}`, isSeen)
}

function colourOf(page: Page, name: string, type: string): Promise<readonly number[] | null> {
  return page.evaluate(
    ([wantedName, wantedType]) => {
      const video = document.querySelector<HTMLVideoElement>(`[data-stream-type="${wantedType}"][data-tid="${wantedName}"] video`)
      const context = new OffscreenCanvas(1, 1).getContext('2d')
      if (!video?.videoWidth || video.hidden || !context) return null
      context.drawImage(video, 0, 0, 1, 1)
      return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)]
    },
    [name, type],
  )
}

/** The level of each tone in the audio of the page, in decibels. */
export function loudnessAt(page: Page, hertz: readonly number[]): Promise<readonly number[]> {
  return page.evaluate(async (tones) => {
    const context = new AudioContext()
    const analyser = new AnalyserNode(context, { fftSize: 8192 })
    for (const audio of document.querySelectorAll('audio'))
      if (audio.srcObject instanceof MediaStream) context.createMediaStreamSource(audio.srcObject).connect(analyser)
    await new Promise((resolve) => setTimeout(resolve, 400))
    const spectrum = new Float32Array(analyser.frequencyBinCount)
    analyser.getFloatFrequencyData(spectrum)
    await context.close()
    return tones.map((hz) => spectrum[Math.round((hz * analyser.fftSize) / context.sampleRate)] ?? -200)
  }, hertz)
}
