/// <reference lib="dom" />
// The tap in a worker of the page's own, which transforms the encoded frames by itself.
import type { ToPage, TrackNote } from '../wire.ts'
import { BothSides, before, Habit, looking } from './both-sides.ts'
import type { EncodedFrame, TapConfig } from './config.ts'
import { Pipe } from './pipe.ts'
import { Shipper } from './shipper.ts'
import { ask, NOBODY, type Transformer, type WorkerScope } from './worker.ts'

/**
 * Runs in a worker of the page's, before its code: what the page's transform reads and what it writes passes the tap. Written frames are
 * seen as the page would decode them, after its decryption.
 */
export function startPrelude(config: TapConfig, channelName: string): void {
  const prototype = (self as unknown as WorkerScope).RTCRtpScriptTransformer?.prototype
  if (!prototype) return
  const channel = new BroadcastChannel(channelName)
  const transformers = new Map<number, Transformer>()
  const habits = { audio: new Habit(), video: new Habit() }
  let shipper: Shipper | null = null
  const obey = (command: ToPage) => {
    if (command.type === 'keyframe') ask(transformers.get(command.number))
  }

  function stand(transformer: Transformer): Standing {
    const number = transformers.size
    transformers.set(number, transformer)
    return new Standing(habits, (note, first) => {
      shipper ??= connected(new Shipper(config, obey))
      return new Pipe(config, shipper, { ...NOBODY, ...note, number, way: 'page-transform' }, () => channel.postMessage(first))
    })
  }

  const standings = new WeakMap<Transformer, Standing>()
  const standingOf = (transformer: Transformer): Standing => {
    const standing = standings.get(transformer) ?? stand(transformer)
    standings.set(transformer, standing)
    return standing
  }
  wrapGetter(prototype, 'readable', (transformer, readable) => looking(readable, (frame) => standingOf(transformer).read(frame)))
  wrapGetter(prototype, 'writable', (transformer, writable) => before(writable, (frame) => standingOf(transformer).write(frame)))
}

/** Each stream is wrapped once: the page may ask for it again. */
function wrapGetter<Name extends 'readable' | 'writable'>(
  prototype: Transformer,
  name: Name,
  wrap: (transformer: Transformer, stream: Transformer[Name]) => Transformer[Name],
): void {
  const native = Object.getOwnPropertyDescriptor(prototype, name)
  const getNative = native?.get
  if (!getNative) return
  const wrapped = new WeakMap<Transformer, Transformer[Name]>()
  Object.defineProperty(prototype, name, {
    ...native,
    get(this: Transformer) {
      const stream = wrapped.get(this) ?? wrap(this, getNative.call(this))
      wrapped.set(this, stream)
      return stream
    },
  })
}

type Habits = Readonly<Record<'audio' | 'video', Habit>>
type Taken = { readonly pipe: Pipe; readonly sides: BothSides }
type PipeMaker = (note: Pick<TrackNote, 'id' | 'kind'>, ssrc: number) => Pipe

/** The tap around one transform of the page's. What the page sends passes such transforms, too; that is not ours to take. */
class Standing {
  readonly #habits: Habits
  readonly #makePipe: PipeMaker
  #taken: Taken | null = null

  constructor(habits: Habits, makePipe: PipeMaker) {
    this.#habits = habits
    this.#makePipe = makePipe
  }

  read(frame: EncodedFrame): void {
    this.#of(frame)?.sides.read(frame)
  }

  write(frame: EncodedFrame): void {
    const taken = this.#of(frame)
    if (!taken) return
    if (taken.sides.write(frame)) taken.pipe.pass(frame)
    else taken.pipe.shrink(frame)
  }

  #of(frame: EncodedFrame): Taken | null {
    const { receiveTime, synchronizationSource: ssrc = 0, mimeType } = frame.getMetadata()
    if (receiveTime === undefined) return null
    if (!this.#taken) {
      const kind = mimeType?.startsWith('video/') ? 'video' : 'audio'
      const pipe = this.#makePipe({ kind, id: `ssrc:${ssrc}` }, ssrc)
      this.#taken = { pipe, sides: new BothSides(this.#habits[kind], (copy) => pipe.ship(copy)) }
    }
    return this.#taken
  }
}

/** The page cannot hand a relay to a worker that is not ours. */
function connected(shipper: Shipper): Shipper {
  shipper.connect(null)
  return shipper
}
