// The browsers of a host: one headless and one headed, each opened when the first bot needs it.
import { firstLine } from '../../kit/failure.ts'
import { type Browser, launchBrowser } from './browser.ts'
import { Display, type DisplayPrograms, displayPrograms } from './display.ts'
import type { BrowserMode } from './driver.ts'

export type OpenBrowser = { readonly browser: Browser; readonly display: Display | null }

export type BrowsersOptions<User> = {
  /** `auto`: as the platform prefers, if a display can be opened. */
  readonly mode: BrowserMode | 'auto'
  readonly executable: string | undefined
  readonly flags: readonly string[]
  readonly log: (level: 'warn', message: string, detail?: string) => void
  /** A browser crashed. */
  readonly onDied: (users: ReadonlySet<User>) => void
  readonly programs?: DisplayPrograms
}

type Entry<User> = { readonly opening: Promise<OpenBrowser>; readonly users: Set<User> }

const NO_SANDBOX = 'Pages run without the sandbox of Chromium. See docs/security.md.'
const NO_DISPLAY = 'The browser of a bot host is headless, because its display does not open'

export class Browsers<User> {
  readonly #options: BrowsersOptions<User>
  readonly #programs: DisplayPrograms
  readonly #open = new Map<BrowserMode, Entry<User>>()
  #canBeHeaded: boolean

  constructor(options: BrowsersOptions<User>) {
    this.#options = options
    this.#programs = options.programs ?? displayPrograms()
    this.#canBeHeaded = this.#programs.xvfb !== undefined
  }

  /** Opens the browser that most platforms prefer, ahead of the first bot. */
  async warm(): Promise<void> {
    await this.#entry('headed').opening
  }

  /** A crashed browser is replaced for the next bot. A browser without users is closed when the other mode is needed. */
  async take(preferred: BrowserMode, user: User): Promise<OpenBrowser> {
    const entry = this.#entry(preferred)
    entry.users.add(user)
    for (const [mode, other] of this.#open) if (other.users.size === 0) void this.#close(mode, other)
    return entry.opening
  }

  leave(user: User): void {
    for (const { users } of this.#open.values()) users.delete(user)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map(([mode, entry]) => this.#close(mode, entry)))
  }

  #entry(preferred: BrowserMode): Entry<User> {
    const mode = this.#modeFor(preferred)
    const known = this.#open.get(mode)
    if (known) return known
    const entry: Entry<User> = { opening: this.#launch(mode), users: new Set() }
    this.#open.set(mode, entry)
    const forget = (): boolean => this.#open.get(mode) === entry && this.#open.delete(mode)
    entry.opening.then(
      ({ browser, display }) =>
        browser.once('disconnected', () => {
          void display?.close()
          if (forget()) this.#options.onDied(entry.users)
        }),
      forget,
    )
    return entry
  }

  #modeFor(preferred: BrowserMode): BrowserMode {
    const { mode } = this.#options
    if (mode !== 'auto') return mode
    return this.#canBeHeaded ? preferred : 'headless'
  }

  async #launch(mode: BrowserMode): Promise<OpenBrowser> {
    const { executable, flags, log } = this.#options
    const display = mode === 'headed' ? await this.#openDisplay() : null
    const onNoSandbox = (why: string): void => log('warn', NO_SANDBOX, why)
    try {
      return { browser: await launchBrowser(executable, flags, { onNoSandbox, display }), display }
    } catch (error) {
      await display?.close()
      throw error
    }
  }

  /** Null where `auto` falls back to headless. */
  async #openDisplay(): Promise<Display | null> {
    try {
      return await Display.open(this.#programs)
    } catch (error) {
      if (this.#options.mode === 'headed') throw error
      this.#canBeHeaded = false
      this.#options.log('warn', NO_DISPLAY, firstLine(error))
      return null
    }
  }

  async #close(mode: BrowserMode, entry: Entry<User>): Promise<void> {
    this.#open.delete(mode)
    // A browser that failed to open needs no close.
    const opened = await entry.opening.catch(() => null)
    await opened?.browser.close()
    await opened?.display?.close()
  }
}
