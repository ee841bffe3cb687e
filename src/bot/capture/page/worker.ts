/// <reference lib="dom" />
// The tap's worker, where frames are taken.
import type { ToPage, TrackNote } from '../wire.ts'
import type { EncodedFrame, FromWorker, TapConfig, ToWorker } from './config.ts'
import { Pipe } from './pipe.ts'
import { pageNowMs, Shipper } from './shipper.ts'

/** `lib.dom` knows the page's half of this only. */
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

export const NOBODY: Omit<TrackNote, 'number'> = { id: '', kind: 'audio', codec: '', label: '', streamId: '', mid: '', way: 'transform' }

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
    // Not waited for: the decoder's pace is not ours.
    writer.write(value).catch(ignored)
  }
}

/** Refused for audio and for a receiver that is gone: neither matters. */
export function ask(transformer: Transformer | undefined): void {
  transformer?.sendKeyFrameRequest().catch(ignored)
}

/** A stream or a request that ends with its receiver is no news. */
function ignored(): void {}
