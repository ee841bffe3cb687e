// Where measured meetings take place: in the built-in room, or in a Google Meet or a Teams on this machine.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import type { FromMeet, MediaPath, Opening, Order } from './meet-people.ts'
import { type Meeting, type MeetingSize, openMeeting, peoplesBrowser } from './meeting.ts'
import type { BenchServer } from './server.ts'

export const PLATFORMS = ['room', 'google-meet', 'teams'] as const
export const MEDIA_PATHS = ['native', 'neteq'] as const satisfies readonly MediaPath[]
export type Platform = (typeof PLATFORMS)[number]

export type Venue = {
  /** Of the service, so that its bots find the place. */
  readonly settings: Readonly<Record<string, string>>
  /** The same for any other browser. */
  readonly flags: readonly string[]
  /** `lively`: people talk, come and go and write, where they can; else they hum. */
  open(server: BenchServer, name: string, size: MeetingSize, how?: { readonly lively: boolean }): Promise<Meeting>
  close(): Promise<void>
}

/** `media`: how the page of a Meet plays its sound. */
export async function openVenue(platform: Platform, media: MediaPath = 'native'): Promise<Venue> {
  return platform === 'room' ? theRoom() : simulated(await PeopleProcess.start(PEOPLE[platform]), media)
}

type People = {
  readonly script: URL
  /** How many sounds are sent at a time. */
  readonly sounds: number
  /** A page without microphone and camera asks to join. */
  readonly enter: (page: Page, link: string) => Promise<void>
}

const PEOPLE: Readonly<Record<Exclude<Platform, 'room'>, People>> = {
  'google-meet': {
    script: new URL('meet-people.ts', import.meta.url),
    // The lanes of a Meet.
    sounds: 3,
    async enter(page, link) {
      await page.goto(`${link}?hl=en`)
      await page.getByRole('textbox', { name: 'Your name' }).fill('Screen')
      await page.getByRole('button', { name: 'Ask to join', exact: true }).click()
    },
  },
  teams: {
    script: new URL('teams-people.ts', import.meta.url),
    // The mix.
    sounds: 1,
    async enter(page, link) {
      await page.goto(link)
      await page.locator('[data-tid="prejoin-display-name-input"]').fill('Screen')
      await page.locator('[data-tid="prejoin-join-button"]').click()
    },
  },
}

function theRoom(): Venue {
  let browser: Promise<Browser> | null = null
  return {
    settings: {},
    flags: [],
    async open(server, name, size) {
      browser ??= peoplesBrowser(server)
      return openMeeting(await browser, `${server.url}/room/${name}`, size)
    },
    close: async () => undefined,
  }
}

function simulated(meet: PeopleProcess, media: MediaPath): Venue {
  return {
    settings: { CHROMIUM_FLAGS: meet.flags.map((flag) => `"${flag}"`).join(' ') },
    flags: meet.flags,
    open: (_server, _name, size, how) => meet.open(size, { lively: how?.lively ?? false, media }),
    close: () => meet.stop(),
  }
}

class PeopleProcess {
  readonly flags: readonly string[]
  readonly #people: People
  readonly #child: ChildProcess
  readonly #ended: Promise<never>
  #orders = 0
  #meetings = 0

  static async start(people: People): Promise<PeopleProcess> {
    const child = fork(fileURLToPath(people.script), { stdio: ['ignore', 2, 2, 'ipc'] })
    const gone = ended(child)
    // Once it is stopped, nobody minds.
    gone.catch(() => undefined)
    const [hello] = (await Promise.race([once(child, 'message'), gone])) as [FromMeet]
    return new PeopleProcess(people, child, gone, 'flags' in hello ? hello.flags : [])
  }

  private constructor(people: People, child: ChildProcess, gone: Promise<never>, flags: readonly string[]) {
    this.#people = people
    this.#child = child
    this.#ended = gone
    this.flags = flags
  }

  async open(size: MeetingSize, how: Pick<Opening, 'lively' | 'media'>): Promise<Meeting> {
    const code = `ben-chxx-${String.fromCharCode(97 + this.#meetings++)}xx`
    const link = (await this.#ask({ say: 'open', code, width: size.width, height: size.height, ...how })).link ?? ''
    return {
      link,
      size,
      sends: { sound: this.#people.sounds, picture: size.people },
      enter: (page) => this.#people.enter(page, link),
      sent: async () => {
        const { sent } = await this.#ask({ say: 'sent', code })
        if (!sent) throw new Error(`bench: there is no meeting ${code}`)
        return sent
      },
      end: async () => void (await this.#ask({ say: 'end', code })),
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return
    this.#child.disconnect()
    await once(this.#child, 'exit')
  }

  async #ask(order: ({ readonly say: 'open' } & Opening) | { readonly say: 'sent' | 'end'; readonly code: string }): Promise<Answer> {
    const id = ++this.#orders
    const answer = new Promise<Answer>((resolve) => {
      const hear = (told: FromMeet) => {
        if (!('id' in told) || told.id !== id) return
        this.#child.off('message', hear)
        resolve(told)
      }
      this.#child.on('message', hear)
    })
    this.#child.send({ id, ...order } satisfies Order)
    return Promise.race([answer, this.#ended])
  }
}

type Answer = Omit<Extract<FromMeet, { id: number }>, 'id'>

async function ended(child: ChildProcess): Promise<never> {
  await once(child, 'exit')
  throw new Error('bench: the process of the meetings has ended')
}
