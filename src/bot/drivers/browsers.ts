// The browsers of a worker: one headless and one headed, each opened when the first bot needs it. One that a platform has refused is replaced.
import { firstLine } from '../../kit/failure.ts'
import { launchBrowser } from './browser.ts'
import { Display, type DisplayPrograms, displayPrograms } from './display.ts'
import type { BrowserMode, OpenBrowser } from './driver.ts'

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

type Entry<User> = { readonly mode: BrowserMode; readonly opening: Promise<OpenBrowser>; readonly users: Set<User> }

const NO_SANDBOX = 'Pages run without the sandbox of Chromium. See docs/security.md.'
const NO_DISPLAY = 'The browser of a worker is headless, because its display does not open'

export class Browsers<User> {
  readonly #options: BrowsersOptions<User>
  readonly #programs: DisplayPrograms
  readonly #open = new Map<BrowserMode, Entry<User>>()
  /** Replaced browsers. Each is closed when its last user has left. */
  readonly #replaced = new Set<Entry<User>>()
  /** Users whose new browser is being opened. The end of their old one is no loss for them. */
  readonly #moving = new Set<User>()
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
    for (const other of this.#open.values()) if (other.users.size === 0) void this.#close(other)
    return entry.opening
  }

  /** Opens a browser in place of the user's own, for this user and for later ones. The other users keep theirs. */
  async replace(preferred: BrowserMode, user: User): Promise<OpenBrowser> {
    const mode = this.#modeFor(preferred)
    const own = this.#open.get(mode)
    // Another user may have replaced it already: that browser is fresh for this one, too.
    if (own?.users.has(user)) {
      this.#open.delete(mode)
      this.#replaced.add(own)
    }
    const entry = this.#entry(preferred)
    entry.users.add(user)
    this.#moving.add(user)
    try {
      const opened = await entry.opening
      for (const other of this.#all()) if (other !== entry) this.#remove(user, other)
      return opened
    } finally {
      this.#moving.delete(user)
    }
  }

  leave(user: User): void {
    for (const entry of this.#all()) this.#remove(user, entry)
  }

  #all(): readonly Entry<User>[] {
    return [...this.#open.values(), ...this.#replaced]
  }

  #remove(user: User, entry: Entry<User>): void {
    entry.users.delete(user)
    if (entry.users.size === 0 && this.#replaced.has(entry)) void this.#close(entry)
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((entry) => this.#close(entry)))
  }

  #entry(preferred: BrowserMode): Entry<User> {
    const mode = this.#modeFor(preferred)
    const known = this.#open.get(mode)
    if (known) return known
    const entry: Entry<User> = { mode, opening: this.#launch(mode), users: new Set() }
    this.#open.set(mode, entry)
    const forget = () => this.#forget(entry)
    entry.opening.then(
      ({ browser, display }) =>
        browser.once('disconnected', () => {
          void display?.close()
          if (forget()) this.#options.onDied(new Set([...entry.users].filter((it) => !this.#moving.has(it))))
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

  /** False where it was forgotten before. */
  #forget(entry: Entry<User>): boolean {
    if (this.#open.get(entry.mode) === entry) return this.#open.delete(entry.mode)
    return this.#replaced.delete(entry)
  }

  async #close(entry: Entry<User>): Promise<void> {
    this.#forget(entry)
    // A browser that failed to open needs no close.
    const opened = await entry.opening.catch(() => null)
    await opened?.browser.close()
    await opened?.display?.close()
  }
}
