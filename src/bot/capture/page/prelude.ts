/// <reference lib="dom" />
// The tap in a worker of the page's own that transforms encoded frames itself.
import type { ToPage, TrackInfo } from '../wire.ts'
import type { EncodedFrame, TapConfig } from './config.ts'
import { Pipe } from './pipe.ts'
import { FrameHandling, observedReadable, observedWritable, ReadWriteObserver } from './read-write-observer.ts'
import { Shipper } from './shipper.ts'
import { requestKeyFrame, type Transformer, UNKNOWN_TRACK, type WorkerScope } from './worker.ts'

/**
 * Runs in the page's worker before the page's code. It observes the frames that the page's transform reads and writes. Written frames are already decrypted.
 */
export function startPrelude(config: TapConfig, channelName: string): void {
  const prototype = (self as unknown as WorkerScope).RTCRtpScriptTransformer?.prototype
  if (!prototype) return
  const channel = new BroadcastChannel(channelName)
  const transformers = new Map<number, Transformer>()
  const handlings = { audio: new FrameHandling(), video: new FrameHandling() }
  let shipper: Shipper | null = null
  const onCommand = (command: ToPage) => {
    if (command.kind === 'keyframe') requestKeyFrame(transformers.get(command.number))
  }

  const taps = new WeakMap<Transformer, TransformTap>()
  function tapOf(transformer: Transformer): TransformTap {
    const known = taps.get(transformer)
    if (known) return known
    const number = transformers.size
    transformers.set(number, transformer)
    const tap = new TransformTap(handlings, (info, first) => {
      shipper ??= connected(new Shipper(config, onCommand))
      return new Pipe(config, shipper, { ...UNKNOWN_TRACK, ...info, number, way: 'page-transform' }, () => channel.postMessage(first))
    })
    taps.set(transformer, tap)
    return tap
  }
  wrapGetter(prototype, 'readable', (transformer, readable) => observedReadable(readable, (frame) => tapOf(transformer).read(frame)))
  wrapGetter(prototype, 'writable', (transformer, writable) => observedWritable(writable, (frame) => tapOf(transformer).write(frame)))
}

/** Wraps each stream once, because the page may read the property again. */
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

type Handlings = Readonly<Record<'audio' | 'video', FrameHandling>>
type Received = { readonly pipe: Pipe; readonly observer: ReadWriteObserver }
type PipeMaker = (info: Pick<TrackInfo, 'id' | 'kind'>, ssrc: number) => Pipe

/** The tap around one transform of the page. Frames that the page sends pass such transforms too, and are not recorded. */
class TransformTap {
  readonly #handlings: Handlings
  readonly #makePipe: PipeMaker
  #received: Received | null = null

  constructor(handlings: Handlings, makePipe: PipeMaker) {
    this.#handlings = handlings
    this.#makePipe = makePipe
  }

  read(frame: EncodedFrame): void {
    this.#of(frame)?.observer.read(frame)
  }

  write(frame: EncodedFrame): void {
    const received = this.#of(frame)
    if (!received) return
    if (received.observer.write(frame)) received.pipe.pass(frame)
    else received.pipe.shrink(frame)
  }

  #of(frame: EncodedFrame): Received | null {
    const { receiveTime, synchronizationSource: ssrc = 0, mimeType } = frame.getMetadata()
    if (receiveTime === undefined) return null
    if (!this.#received) {
      const kind = mimeType?.startsWith('video/') ? 'video' : 'audio'
      const pipe = this.#makePipe({ kind, id: `ssrc:${ssrc}` }, ssrc)
      this.#received = { pipe, observer: new ReadWriteObserver(this.#handlings[kind], (copy) => pipe.ship(copy)) }
    }
    return this.#received
  }
}

/** The page cannot pass a relay to a worker of its own. */
function connected(shipper: Shipper): Shipper {
  shipper.connect(null)
  return shipper
}
