// Asks the host whether the bot may record, in the order that Zoom's client bears: try, ask, and ask again when a host appears.
import type { ZoomReport } from '../report.ts'
import { at, numberAt, textAt, type ZoomMtg } from './sdk.ts'

type State = Extract<ZoomReport, { kind: 'permission' }>['state']

/** The SDK's calls about the recording crash in the first moments of a call. */
const SETTLED_MS = 1_000
/** The client draws a notice first, and takes no request under it. */
const NOTICE_MS = 500
/** Of a host whose settings turn every request down. */
const DENIES_ALL = /deny all/i
const HAS_IT_ALREADY = /already have/i
const [STOPPED, STARTED] = [0, 1]

type Timer = (act: () => void, ms: number) => unknown
type Asking = 'not yet' | 'asked' | 'no host' | 'answered'

export class Permission {
  readonly #sdk: ZoomMtg
  readonly #publish: (state: State) => void
  readonly #after: Timer
  #asking: Asking = 'not yet'
  #last: State | null = null
  #hasStarted = false

  constructor(sdk: ZoomMtg, publish: (state: State) => void, after: Timer = (act, ms) => setTimeout(act, ms)) {
    this.#sdk = sdk
    this.#publish = publish
    this.#after = after
  }

  /** The bot is in. */
  begin(): void {
    this.#after(() => this.#start(), SETTLED_MS)
  }

  /** A user with a host's rights is there. */
  onHost(): void {
    if (this.#asking !== 'no host') return
    this.#asking = 'not yet'
    this.#after(() => this.#request(), SETTLED_MS)
  }

  /** `onMediaCapturePermissionChange` */
  onChange(data: unknown): void {
    this.#asking = 'answered'
    if (at(data, 'allow') === true) this.#start()
    else this.#forbid()
  }

  /** `onMediaCaptureStatusChange` of the bot itself. */
  onStatus(data: unknown): void {
    const status = numberAt(data, 'status')
    if (status === STARTED) this.#hasStarted = true
    if (status === STOPPED && this.#hasStarted) this.#forbid()
  }

  #start(): void {
    this.#sdk.mediaCapture({
      record: 'start',
      success: () => this.#say('allowed'),
      // Once allowed and yet refused, only another answer of the host helps.
      error: () => this.#asking === 'not yet' && this.#after(() => this.#request(), NOTICE_MS),
    })
  }

  #request(): void {
    this.#asking = 'asked'
    this.#sdk.mediaCapturePermission({
      operate: 'request',
      error: (answer) => {
        const why = textAt(answer, 'errorMessage')
        if (DENIES_ALL.test(why)) this.#say('denied')
        else if (HAS_IT_ALREADY.test(why)) this.#start()
        else this.#asking = 'no host'
      },
    })
  }

  #forbid(): void {
    this.#say(this.#last === 'allowed' ? 'withdrawn' : 'denied')
  }

  #say(state: State): void {
    // What has been withdrawn is for the next stay.
    if (state === this.#last || this.#last === 'withdrawn') return
    this.#last = state
    this.#publish(state)
  }
}
