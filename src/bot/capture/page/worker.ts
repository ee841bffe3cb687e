/// <reference lib="dom" />
// The tap's worker, where frames are taken; the same code sits in front of a page's own transform worker when it has one.
import type { ToPage, TrackNote } from '../wire.ts'
import type { EncodedFrame, FromWorker, TapConfig, ToWorker } from './config.ts'
import { Pipe } from './pipe.ts'
import { pageNowMs, Shipper } from './shipper.ts'

/** `lib.dom` knows the page's half of this only. */
type Transformer = {
  readonly options: { readonly number: number }
  readonly readable: ReadableStream<EncodedFrame>
  readonly writable: WritableStream<EncodedFrame>
  sendKeyFrameRequest(): Promise<unknown>
}
type WorkerScope = {
  onrtctransform: ((event: { readonly transformer: Transformer }) => void) | null
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null
  postMessage(message: FromWorker): void
  readonly RTCRtpScriptTransformer?: { readonly prototype: Transformer }
}

const NOBODY: Omit<TrackNote, 'number'> = { id: '', kind: 'audio', codec: '', label: '', streamId: '', mid: '', way: 'transform' }

export function startWorker(config: TapConfig): void {
  const scope = self as unknown as WorkerScope
  const pipes = new Map<number, Pipe>()
  const transformers = new Map<number, Transformer>()
  const shipper = new Shipper(config, obey)
  shipper.lastAliveMs = pageNowMs()

  function obey(command: ToPage): void {
    if (command.type === 'keyframe') ask(transformers.get(command.number))
    if (command.type === 'resume') scope.postMessage({ say: 'resume' })
    if (command.type === 'reveal') reveal(command.on)
  }

  function reveal(on: boolean): void {
    for (const pipe of pipes.values()) pipe.reveal = on
    if (on) for (const transformer of transformers.values()) ask(transformer)
    scope.postMessage({ say: 'reveal', on })
  }

  function pipeOf(number: number): Pipe {
    const known = pipes.get(number)
    if (known) return known
    const pipe = new Pipe(config, shipper, { ...NOBODY, number }, () => scope.postMessage({ say: 'flowing', number }))
    pipes.set(number, pipe)
    return pipe
  }

  scope.onrtctransform = ({ transformer }) => {
    const { number } = transformer.options
    transformers.set(number, transformer)
    run(transformer, pipeOf(number)).catch((error: unknown) => shipper.say({ type: 'problem', message: `tap: ${String(error)}` }))
  }
  scope.onmessage = ({ data }) => hear(data, shipper, pipeOf)
}

function hear(message: ToWorker, shipper: Shipper, pipeOf: (number: number) => Pipe): void {
  shipper.lastAliveMs = pageNowMs()
  if (message.say === 'line') shipper.connect(message.relay)
  if (message.say === 'track') {
    const pipe = pipeOf(message.note.number)
    pipe.note = { ...message.note, codec: pipe.note.codec }
    shipper.say({ type: 'track', ...pipe.note })
  }
  if (message.say === 'ended') shipper.say({ type: 'track-ended', number: message.number })
  if (message.say === 'source') {
    const { say: _, ...source } = message
    shipper.say({ type: 'source', ...source })
  }
  if (message.say === 'problem') shipper.say({ type: 'problem', message: message.message })
  if (message.say === 'frame') pipeOf(message.number).ship(message.frame)
  if (message.say === 'chunk') {
    const { number: track, first, atMs: receivedMs, data } = message
    const empty = { rtpTimestamp: 0, sequence: null, ssrc: 0, csrc: 0, audioLevel: 255, width: 0, height: 0 }
    shipper.ship({ kind: 'chunk', codec: 'webm', track, key: first, first, receivedMs, ...empty, payload: new Uint8Array(data) })
  }
}

async function run({ readable, writable }: Transformer, pipe: Pipe): Promise<void> {
  const reader = readable.getReader()
  const writer = writable.getWriter()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    pipe.pass(value)
    // Not waited for: the decoder's pace is not ours.
    writer.write(value).catch(ignored)
  }
}

/**
 * Runs in a worker of the page's, before its code: whatever the page's transform writes passes the tap, so frames are seen as the page
 * would decode them, after its decryption.
 */
export function startPrelude(config: TapConfig, channelName: string): void {
  const scope = self as unknown as WorkerScope
  const prototype = scope.RTCRtpScriptTransformer?.prototype
  const native = prototype && Object.getOwnPropertyDescriptor(prototype, 'writable')
  if (!prototype || !native?.get) return
  const getNative = native.get
  const channel = new BroadcastChannel(channelName)
  const taps = new WeakMap<Transformer, WritableStream<EncodedFrame>>()
  const transformers = new Map<number, Transformer>()
  let shipper: Shipper | null = null
  let count = 0
  const obey = (command: ToPage) => {
    if (command.type === 'keyframe') ask(transformers.get(command.number))
  }

  function tap(transformer: Transformer): WritableStream<EncodedFrame> {
    const number = count++
    let pipe: Pipe | null = null
    transformers.set(number, transformer)
    const through = new TransformStream<EncodedFrame, EncodedFrame>({
      transform(frame, controller) {
        const metadata = frame.getMetadata()
        // What the page sends passes here too; that is not ours to take.
        if (metadata.receiveTime !== undefined) {
          shipper ??= connected(new Shipper(config, obey))
          const ssrc = metadata.synchronizationSource ?? 0
          const kind = metadata.mimeType?.startsWith('video/') ? 'video' : 'audio'
          const note: TrackNote = { ...NOBODY, number, kind, id: `ssrc:${ssrc}`, way: 'page-transform' }
          pipe ??= new Pipe(config, shipper, note, () => channel.postMessage(ssrc))
          pipe.pass(frame)
        }
        controller.enqueue(frame)
      },
    })
    through.readable.pipeTo(getNative.call(transformer)).catch(ignored)
    return through.writable
  }

  Object.defineProperty(prototype, 'writable', {
    ...native,
    get(this: Transformer) {
      const writable = taps.get(this) ?? tap(this)
      taps.set(this, writable)
      return writable
    },
  })
}

/** The page cannot hand a relay to a worker that is not ours. */
function connected(shipper: Shipper): Shipper {
  shipper.connect(null)
  return shipper
}

/** Refused for audio and for a receiver that is gone: neither matters. */
function ask(transformer: Transformer | undefined): void {
  transformer?.sendKeyFrameRequest().catch(ignored)
}

/** A stream or a request that ends with its receiver is no news. */
function ignored(): void {}
