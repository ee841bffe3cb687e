// Where measured meetings take place: in the built-in room, or in a simulated Google Meet, Teams or Zoom.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import type { BenchServer } from '../harness/server.ts'
import type { MediaPath, Platform } from '../options.ts'
import { launchPeopleBrowser, type Meeting, type MeetingSize, openMeeting } from './room-meeting.ts'
import type { Answer, Command, FromSimulator, NumberedCommand, Opening, SimulatorFacts } from './simulator-messages.ts'

export type Venue = {
  /** Settings of the service that lead its bots to these meetings. */
  readonly settings: Readonly<Record<string, string>>
  /** Flags with which any other browser reaches them. */
  readonly flags: readonly string[]
  /** `lively`: people talk, join, leave and write, if the platform's simulator can do that. Otherwise they hum. */
  open(server: BenchServer, name: string, size: MeetingSize, options?: { readonly lively: boolean }): Promise<Meeting>
  close(): Promise<void>
}

export async function openVenue(platform: Platform, media: MediaPath = 'native'): Promise<Venue> {
  return platform === 'room' ? roomVenue() : simulatedVenue(await SimulatorProcess.start(SIMULATORS[platform]), media)
}

type Simulator = {
  readonly script: URL
  /** Audio tracks that a participant receives. */
  readonly audioTracks: number
  /** Asks to join from a page without microphone and camera. */
  readonly enter: (page: Page, link: string) => Promise<void>
}

const SIMULATORS: Readonly<Record<Exclude<Platform, 'room'>, Simulator>> = {
  'google-meet': {
    script: new URL('google-meet-process.ts', import.meta.url),
    // The three lanes.
    audioTracks: 3,
    async enter(page, link) {
      await page.goto(`${link}?hl=en`)
      await page.getByRole('textbox', { name: 'Your name' }).fill('Screen')
      await page.getByRole('button', { name: 'Ask to join', exact: true }).click()
    },
  },
  teams: {
    script: new URL('teams-process.ts', import.meta.url),
    // The mix.
    audioTracks: 1,
    async enter(page, link) {
      await page.goto(link)
      await page.locator('[data-tid="prejoin-display-name-input"]').fill('Screen')
      await page.locator('[data-tid="prejoin-join-button"]').click()
    },
  },
  zoom: {
    script: new URL('zoom-process.ts', import.meta.url),
    // One for each participant.
    audioTracks: 4,
    async enter(page, link) {
      await page.goto(link)
      await page.locator('#input-for-name').pressSequentially('Screen')
      // A layer covers the button.
      await page.locator('button.preview-join-button:enabled').evaluate((button: HTMLElement) => button.click())
    },
  },
}

function roomVenue(): Venue {
  let browser: Promise<Browser> | null = null
  return {
    settings: {},
    flags: [],
    async open(server, name, size) {
      browser ??= launchPeopleBrowser(server)
      return openMeeting(await browser, `${server.url}/room/${name}`, size)
    },
    close: async () => undefined,
  }
}

function simulatedVenue(simulator: SimulatorProcess, media: MediaPath): Venue {
  return {
    settings: { CHROMIUM_FLAGS: simulator.facts.flags.map((flag) => `"${flag}"`).join(' '), ...simulator.facts.settings },
    flags: simulator.facts.flags,
    open: (_server, _name, size, options) => simulator.open(size, { lively: options?.lively ?? false, media }),
    close: () => simulator.stop(),
  }
}

class SimulatorProcess {
  readonly facts: SimulatorFacts
  readonly #simulator: Simulator
  readonly #child: ChildProcess
  readonly #exit: Promise<never>
  #commands = 0
  #meetings = 0

  static async start(simulator: Simulator): Promise<SimulatorProcess> {
    const child = fork(fileURLToPath(simulator.script), { stdio: ['ignore', 2, 2, 'ipc'] })
    const exit = rejectOnExit(child)
    // `stop` ends the process on purpose, which is no unhandled rejection.
    exit.catch(() => undefined)
    const [first] = (await Promise.race([once(child, 'message'), exit])) as [FromSimulator]
    return new SimulatorProcess(simulator, child, exit, 'flags' in first ? first : { flags: [] })
  }

  private constructor(simulator: Simulator, child: ChildProcess, exit: Promise<never>, facts: SimulatorFacts) {
    this.#simulator = simulator
    this.#child = child
    this.#exit = exit
    this.facts = facts
  }

  async open(size: MeetingSize, options: Pick<Opening, 'lively' | 'media'>): Promise<Meeting> {
    const code = `ben-chxx-${String.fromCharCode(97 + this.#meetings++)}xx`
    const link = (await this.#request({ kind: 'open', code, width: size.width, height: size.height, ...options })).link ?? ''
    return {
      link,
      size,
      trackCounts: { audio: this.#simulator.audioTracks, video: size.people },
      enter: (page) => this.#simulator.enter(page, link),
      sent: async () => {
        const { sent } = await this.#request({ kind: 'sent', code })
        if (!sent) throw new Error(`bench: there is no meeting ${code}`)
        return sent
      },
      end: async () => void (await this.#request({ kind: 'end', code })),
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return
    this.#child.disconnect()
    await once(this.#child, 'exit')
  }

  async #request(command: Command): Promise<Answer> {
    const id = ++this.#commands
    const answer = new Promise<Answer>((resolve) => {
      const onMessage = (message: FromSimulator) => {
        if (!('id' in message) || message.id !== id) return
        this.#child.off('message', onMessage)
        resolve(message)
      }
      this.#child.on('message', onMessage)
    })
    this.#child.send({ id, ...command } satisfies NumberedCommand)
    return Promise.race([answer, this.#exit])
  }
}

async function rejectOnExit(child: ChildProcess): Promise<never> {
  await once(child, 'exit')
  throw new Error('bench: the simulator process has exited')
}
