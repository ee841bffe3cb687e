// Requests the permission to record, in the order that Zoom's client accepts: start, request, request again when a host joins.
import type { ZoomReport } from '../report.ts'
import { at, numberAt, textAt, type ZoomMtg } from './sdk.ts'

type State = Extract<ZoomReport, { kind: 'permission' }>['state']

/** Earlier calls about the recording crash the SDK. */
const SETTLED_MS = 1_000
/** The client ignores a request while it draws its notice. */
const NOTICE_MS = 500
/** Error text if the host's settings deny every request. */
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

  /** The bot has entered the call. */
  begin(): void {
    this.#after(() => this.#start(), SETTLED_MS)
  }

  /** A host or co-host is in the call. */
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

  /** `onMediaCaptureStatusChange` for the bot's own capture. */
  onStatus(data: unknown): void {
    const status = numberAt(data, 'status')
    if (status === STARTED) this.#hasStarted = true
    if (status === STOPPED && this.#hasStarted) this.#forbid()
  }

  #start(): void {
    this.#sdk.mediaCapture({
      record: 'start',
      success: () => this.#report('allowed'),
      // After the host's answer a failed start waits for the next answer.
      error: () => this.#asking === 'not yet' && this.#after(() => this.#request(), NOTICE_MS),
    })
  }

  #request(): void {
    this.#asking = 'asked'
    this.#sdk.mediaCapturePermission({
      operate: 'request',
      error: (answer) => {
        const why = textAt(answer, 'errorMessage')
        if (DENIES_ALL.test(why)) this.#report('denied')
        else if (HAS_IT_ALREADY.test(why)) this.#start()
        else this.#asking = 'no host'
      },
    })
  }

  #forbid(): void {
    this.#report(this.#last === 'allowed' ? 'withdrawn' : 'denied')
  }

  #report(state: State): void {
    // A withdrawn permission stays withdrawn for this call.
    if (state === this.#last || this.#last === 'withdrawn') return
    this.#last = state
    this.#publish(state)
  }
}
