/// <reference lib="dom" />
// A plain browser at the simulated Google Meet, and measurements of its page's audio and video.
import { chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { type Meeting, type MeetOptions, type Scenario, startMeet } from '../../../sims/google-meet/meet.ts'
import { until } from '../until.ts'

export type Visited = { readonly meeting: Meeting; readonly page: Page }

export type Street = {
  /** A new meeting and a page at its link until the test is over. `script` runs before the page's own code. */
  visit(scenario?: Partial<Scenario>, query?: string, script?: string): Promise<Visited>
  close(): Promise<void>
}

const FLAGS = [
  ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--mute-audio'],
  ...['--allow-loopback-in-peer-connection', '--use-fake-device-for-media-stream', '--autoplay-policy=no-user-gesture-required'],
]
const MEDIA_MS = 15_000

export async function openStreet(options: MeetOptions = {}): Promise<Street> {
  const meet = await startMeet(options)
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: false, args: [...FLAGS, ...meet.flags] })
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } })
  await context.grantPermissions(['microphone', 'camera'], { origin: 'https://meet.google.com' })
  let visits = 0
  return {
    async visit(scenario = {}, query = '?hl=en', script = '') {
      visits += 1
      const code = `abc-defg-${String.fromCharCode(97 + Math.floor(visits / 26), 97 + (visits % 26))}z`
      // A camera costs more than the rest of the page.
      const meeting = meet.meeting(code, { devicesOn: false, ...scenario })
      const page = await context.newPage()
      onTestFinished(() => page.close())
      if (script !== '') await page.addInitScript({ content: script })
      await page.goto(meeting.url + query)
      return { meeting, page }
    },
    async close() {
      await browser.close()
      await meet.stop()
    },
  }
}

export async function askToJoin(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Your name' }).fill('Notetaker')
  await page.getByRole('button', { name: 'Ask to join', exact: true }).click()
}

/** The pressed controls, by names that do not depend on the language. */
export function presses(meeting: Meeting): readonly string[] {
  return meeting.pressed.map((it) => it.control)
}

/** In the tile with this person's name. */
export async function seesColour(page: Page, name: string, wanted: readonly number[]): Promise<void> {
  const isSeen = async () => {
    const colour = await colourOf(page, name)
    return colour?.every((value, at) => Math.abs(value - (wanted[at] ?? 0)) < 40)
  }
  await until(`${name} is seen in ${wanted}`, isSeen, MEDIA_MS)
}

function colourOf(page: Page, name: string): Promise<readonly number[] | null> {
  return page.evaluate((wanted) => {
    const tiles = [...document.querySelectorAll('main [data-participant-id]')]
    const video = tiles.find((it) => it.querySelector('span.notranslate')?.textContent === wanted)?.querySelector('video')
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    if (!video?.videoWidth || !context) return null
    context.drawImage(video, 0, 0, 1, 1)
    return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)]
  }, name)
}

/** The level of a tone in the lanes that the page plays, in decibels. */
export function loudnessAt(page: Page, hertz: number): Promise<number> {
  return page.evaluate(async (hz) => {
    const context = new AudioContext()
    const analyser = new AnalyserNode(context, { fftSize: 8192 })
    for (const audio of document.querySelectorAll('audio')) {
      if (audio.srcObject instanceof MediaStream) context.createMediaStreamSource(audio.srcObject).connect(analyser)
    }
    await new Promise((resolve) => setTimeout(resolve, 400))
    const spectrum = new Float32Array(analyser.frequencyBinCount)
    analyser.getFloatFrequencyData(spectrum)
    await context.close()
    return spectrum[Math.round((hz * analyser.fftSize) / context.sampleRate)] ?? -200
  }, hertz)
}
