// Where measured meetings take place: in the built-in room, or in a Google Meet on this machine.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import type { FromMeet, MediaPath, Opening, Order } from './meet-people.ts'
import { type Meeting, type MeetingSize, openMeeting, peoplesBrowser, type Sent } from './meeting.ts'
import type { BenchServer } from './server.ts'

export const PLATFORMS = ['room', 'google-meet'] as const
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
  return platform === 'room' ? theRoom() : aMeet(await MeetProcess.start(), media)
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

function aMeet(meet: MeetProcess, media: MediaPath): Venue {
  return {
    settings: { CHROMIUM_FLAGS: meet.flags.map((flag) => `"${flag}"`).join(' ') },
    flags: meet.flags,
    open: (_server, _name, size, how) => meet.open(size, { lively: how?.lively ?? false, media }),
    close: () => meet.stop(),
  }
}

/** The lanes of a Meet. */
const SOUNDS = 3

class MeetProcess {
  readonly flags: readonly string[]
  readonly #child: ChildProcess
  readonly #ended: Promise<never>
  #orders = 0
  #meetings = 0

  static async start(): Promise<MeetProcess> {
    const child = fork(fileURLToPath(new URL('meet-people.ts', import.meta.url)), { stdio: ['ignore', 2, 2, 'ipc'] })
    const gone = ended(child)
    // Once it is stopped, nobody minds.
    gone.catch(() => undefined)
    const [hello] = (await Promise.race([once(child, 'message'), gone])) as [FromMeet]
    return new MeetProcess(child, gone, 'flags' in hello ? hello.flags : [])
  }

  private constructor(child: ChildProcess, gone: Promise<never>, flags: readonly string[]) {
    this.#child = child
    this.#ended = gone
    this.flags = flags
  }

  async open(size: MeetingSize, how: Pick<Opening, 'lively' | 'media'>): Promise<Meeting> {
    const code = `ben-chxx-${String.fromCharCode(97 + this.#meetings++)}xx`
    await this.#ask({ say: 'open', code, width: size.width, height: size.height, ...how })
    const link = `https://meet.google.com/${code}`
    return {
      link,
      size,
      sends: { sound: SOUNDS, picture: size.people },
      async enter(page) {
        await page.goto(`${link}?hl=en`)
        await page.getByRole('textbox', { name: 'Your name' }).fill('Screen')
        await page.getByRole('button', { name: 'Ask to join', exact: true }).click()
      },
      sent: async () => {
        const sent = await this.#ask({ say: 'sent', code })
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

  async #ask(order: ({ readonly say: 'open' } & Opening) | { readonly say: 'sent' | 'end'; readonly code: string }): Promise<Sent | null> {
    const id = ++this.#orders
    const answer = new Promise<Sent | null>((resolve) => {
      const hear = (told: FromMeet) => {
        if (!('id' in told) || told.id !== id) return
        this.#child.off('message', hear)
        resolve(told.sent)
      }
      this.#child.on('message', hear)
    })
    this.#child.send({ id, ...order } satisfies Order)
    return Promise.race([answer, this.#ended])
  }
}

async function ended(child: ChildProcess): Promise<never> {
  await once(child, 'exit')
  throw new Error('bench: the process of the meetings has ended')
}
