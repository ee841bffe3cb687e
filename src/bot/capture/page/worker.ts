/// <reference lib="dom" />
// The tap's worker, which receives the encoded frames.
import type { ToPage, TrackInfo } from '../wire.ts'
import type { EncodedFrame, FromWorker, TapConfig, ToWorker } from './config.ts'
import { Pipe } from './pipe.ts'
import { Shipper } from './shipper.ts'

/** `lib.dom` only has the page's half of this API. */
export type Transformer = {
  readonly options: { readonly number: number }
  readonly readable: ReadableStream<EncodedFrame>
  readonly writable: WritableStream<EncodedFrame>
  sendKeyFrameRequest(): Promise<unknown>
}
export type WorkerScope = {
  onrtctransform: ((event: { readonly transformer: Transformer }) => void) | null
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null
  postMessage(message: FromWorker): void
  readonly RTCRtpScriptTransformer?: { readonly prototype: Transformer }
}

/** As often as pages look at levels. */
const LEVELS_EVERY_MS = 200

export const UNKNOWN_TRACK: Omit<TrackInfo, 'number'> = {
  id: '',
  kind: 'audio',
  codec: '',
  label: '',
  streamId: '',
  mid: '',
  way: 'transform',
}

export function startWorker(config: TapConfig): void {
  const scope = self as unknown as WorkerScope
  const pipes = new Map<number, Pipe>()
  const transformers = new Map<number, Transformer>()
  const shipper = new Shipper(config, onCommand)

  function onCommand(command: ToPage): void {
    if (command.kind === 'keyframe') requestKeyFrame(transformers.get(command.number))
    if (command.kind === 'resume') scope.postMessage({ kind: 'resume' })
    if (command.kind === 'reveal') reveal(command.on)
  }

  function reveal(on: boolean): void {
    for (const pipe of pipes.values()) pipe.reveal = on
    if (on) for (const transformer of transformers.values()) requestKeyFrame(transformer)
    scope.postMessage({ kind: 'reveal', on })
  }

  function pipeOf(number: number): Pipe {
    const known = pipes.get(number)
    if (known) return known
    const pipe = new Pipe(config, shipper, { ...UNKNOWN_TRACK, number }, () => scope.postMessage({ kind: 'flowing', number }))
    pipes.set(number, pipe)
    return pipe
  }

  const sendLevels = (): void => {
    const levels = [...pipes].flatMap(([number, pipe]) => {
      const level = pipe.takeLevel()
      return level === null ? [] : [[number, level] as const]
    })
    if (levels.length > 0) scope.postMessage({ kind: 'levels', levels })
  }
  if (config.silent) setInterval(sendLevels, LEVELS_EVERY_MS)

  scope.onrtctransform = ({ transformer }) => {
    const { number } = transformer.options
    transformers.set(number, transformer)
    run(transformer, pipeOf(number)).catch((error: unknown) => shipper.send({ kind: 'problem', message: `tap: ${String(error)}` }))
  }
  scope.onmessage = ({ data }) => handle(data, shipper, pipeOf)
}

function handle(message: ToWorker, shipper: Shipper, pipeOf: (number: number) => Pipe): void {
  if (message.kind === 'line') shipper.connect(message.relay)
  if (message.kind === 'track') {
    const pipe = pipeOf(message.info.number)
    pipe.info = { ...message.info, codec: pipe.info.codec }
    shipper.send({ kind: 'track', info: pipe.info })
  }
  if (message.kind === 'ended') shipper.send({ kind: 'track-ended', number: message.number })
  if (message.kind === 'source' || message.kind === 'problem') shipper.send(message)
  if (message.kind === 'frame') pipeOf(message.number).ship(message.frame)
  if (message.kind === 'chunk') {
    const { number: track, first, atMs: receivedMs, data } = message
    const empty = { rtpTimestamp: 0, sequence: null, ssrc: 0, csrc: 0, mixes: [], audioLevel: 255, width: 0, height: 0 }
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
    // Not awaited: a slow decoder must not delay the recording.
    writer.write(value).catch(ignored)
  }
}

/** The browser rejects it for audio and for a closed receiver, which is harmless. */
export function requestKeyFrame(transformer: Transformer | undefined): void {
  transformer?.sendKeyFrameRequest().catch(ignored)
}

/** Streams and requests fail when their receiver closes, which is harmless. */
function ignored(): void {}
