// The display of a headed browser: a virtual X server (Xvfb) with pointer and keyboard. A worker has at most one.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAMS_PATH } from '../../kit/compiled.ts'
import { Failure } from '../../kit/failure.ts'
import { runProcess } from '../../kit/process.ts'
import { findProgram } from '../../kit/programs.ts'
import { createSerialQueue } from '../../kit/serial-queue.ts'

export type Point = { readonly x: number; readonly y: number }

/** Undefined: not installed. Without xdotool a display has no pointer or keyboard input. */
export type DisplayPrograms = { readonly xvfb: string | undefined; readonly xdotool: string | undefined }

export function displayPrograms(): DisplayPrograms {
  return { xvfb: findProgram('Xvfb'), xdotool: findProgram('xdotool') }
}

const SIZE = { width: 1930, height: 1090 }
const OPEN_WITHIN_MS = 15_000
const INPUT_WITHIN_MS = 10_000
/** The pointer moves in steps a few milliseconds apart. */
const POINTER_STEPS = 12
const POINTER_STEP_SECONDS = '0.008'
const KEY_EVERY_MS = '30'

export class Display {
  /** The environment for programs on this display. */
  readonly environment: Readonly<Record<string, string>>
  /** Input is exclusive: there is one pointer and one focused window. */
  readonly serially = createSerialQueue()
  readonly #server: ChildProcess
  readonly #folder: string
  readonly #xdotool: string | undefined
  #pointer: Point = { x: SIZE.width / 2, y: SIZE.height / 2 }

  static async open({ xvfb, xdotool }: DisplayPrograms): Promise<Display> {
    if (!xvfb) throw new Failure('no_display', 'Xvfb is not installed. Install the package xvfb, or set BROWSER_MODE=headless.')
    const folder = await mkdtemp(join(tmpdir(), 'display-'))
    const authority = join(folder, 'authority')
    await writeFile(authority, authorityEntry(randomBytes(16)), { mode: 0o600 })
    const server = start(xvfb, authority)
    try {
      const own = { PATH: PROGRAMS_PATH, HOME: homedir(), TMPDIR: tmpdir() }
      // xdotool decodes its arguments by the locale.
      const environment = { ...own, LC_ALL: 'C.UTF-8', DISPLAY: await nameOf(server), XAUTHORITY: authority }
      return new Display(server, folder, xdotool, environment)
    } catch (error) {
      server.kill('SIGTERM')
      await rm(folder, { recursive: true, force: true })
      throw error
    }
  }

  private constructor(server: ChildProcess, folder: string, xdotool: string | undefined, environment: Display['environment']) {
    this.#server = server
    this.#folder = folder
    this.#xdotool = xdotool
    this.environment = environment
  }

  get hasInput(): boolean {
    return this.#xdotool !== undefined
  }

  get isOpen(): boolean {
    return this.#server.exitCode === null && this.#server.signalCode === null
  }

  async movePointer(to: Point): Promise<void> {
    await this.#input(pathBetween(this.#pointer, to).flatMap(({ x, y }) => ['mousemove', `${x}`, `${y}`, 'sleep', POINTER_STEP_SECONDS]))
    this.#pointer = to
  }

  /** Presses the left button at the pointer. */
  click(): Promise<void> {
    return this.#input(['click', '1'])
  }

  /** Replaces the content of the focused field, key by key. */
  async type(text: string): Promise<void> {
    await this.#input(['key', 'ctrl+a'])
    await this.#input(['type', '--delay', KEY_EVERY_MS, '--', text])
  }

  /** Programs on the display lose their windows. */
  async close(): Promise<void> {
    if (this.isOpen) {
      const exit = once(this.#server, 'exit')
      this.#server.kill('SIGTERM')
      await exit
    }
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #input(args: readonly string[]): Promise<void> {
    if (!this.#xdotool) throw new Failure('no_display_input', 'xdotool is not installed. Install the package xdotool')
    await runProcess({ program: this.#xdotool, args, env: this.environment, limitMs: INPUT_WITHIN_MS })
  }
}

/**
 * `setpriv` has the kernel send SIGTERM to Xvfb when the worker dies. SIGKILL would leave its socket and lock file behind, which workers of
 * another user cannot remove.
 */
function start(xvfb: string, authority: string): ChildProcess {
  const screen = ['-screen', '0', `${SIZE.width}x${SIZE.height}x24`]
  const words = ['--pdeathsig', 'TERM', '--', xvfb, '-displayfd', '3', ...screen, '-nolisten', 'tcp', '-noreset', '-auth', authority]
  return spawn('setpriv', words, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
}

/** Xvfb picks a free number and writes it when it is ready. */
async function nameOf(server: ChildProcess): Promise<string> {
  const numbers = server.stdio[3]
  if (!numbers) throw new Error('Xvfb has no pipe for its display number')
  const signal = AbortSignal.timeout(OPEN_WITHIN_MS)
  const ended = once(server, 'exit', { signal }).then(() => Promise.reject(new Error('it ended')))
  // Later exits are handled elsewhere.
  ended.catch(() => undefined)
  try {
    const [number] = await Promise.race([once(numbers, 'data', { signal }), ended])
    return `:${String(number).trim()}`
  } catch (cause) {
    throw new Failure('no_display', 'Xvfb does not start', { cause })
  }
}

/** An X authority entry, valid for any display: programs of other users need its key. */
function authorityEntry(key: Buffer): Buffer {
  const anyHost = Buffer.from([0xff, 0xff])
  const [address, number, name] = ['', '', 'MIT-MAGIC-COOKIE-1'].map((text) => Buffer.from(text))
  const fields = [address, number, name, key].map((bytes = Buffer.alloc(0)) => Buffer.concat([Buffer.from([0, bytes.length]), bytes]))
  return Buffer.concat([anyHost, ...fields])
}

/** A straight line. A pointer that is already there moves aside first, because only movement causes events. */
function pathBetween(from: Point, to: Point): readonly Point[] {
  const start = from.x === to.x && from.y === to.y ? { x: to.x + POINTER_STEPS, y: to.y } : from
  return Array.from({ length: POINTER_STEPS }, (_, index) => {
    const share = (index + 1) / POINTER_STEPS
    return { x: Math.round(start.x + (to.x - start.x) * share), y: Math.round(start.y + (to.y - start.y) * share) }
  })
}
