// The recognition process, which keeps heavy work out of the service and the workers. It exits when its IPC channel closes.
import { createSerialQueue } from '../../kit/serial-queue.ts'
import { SpeechFailed } from '../provider.ts'
import type { Engine } from './engine.ts'
import { EngineQueue } from './engine-queue.ts'
import { LiveRecognition } from './live-recognition.ts'
import { loadMoonshine } from './moonshine.ts'
import type { FromRecogniser, RecogniserSetup, ToRecogniser } from './recogniser-messages.ts'
import { transcribeFile } from './transcribe-file.ts'
import { VoiceActivity } from './voice-activity.ts'

type Tools = { readonly engine: Engine; readonly voiceActivity: VoiceActivity; readonly queue: EngineQueue }

const files = new Map<number, AbortController>()
const streams = new Map<number, LiveRecognition>()
let tools: Promise<Tools> = Promise.reject(new Error('The recogniser received a job before its setup.'))
tools.catch(() => undefined)
/** Messages are handled in order, and none before the models are loaded. */
const serially = createSerialQueue()

process.on('message', (message: ToRecogniser) => {
  if (message.kind === 'setup') tools = load(message.setup).catch((error: unknown) => refuse(message.setup, error))
  else serially(async () => handle(await tools, message)).catch((error: unknown) => fail(message.job, error))
})
process.on('disconnect', () => process.exit(0))

async function load(setup: RecogniserSetup): Promise<Tools> {
  const engine = setup.ownModel === null ? await loadMoonshine(setup) : await loadOwn(setup.ownModel)
  return { engine, voiceActivity: await VoiceActivity.load(setup.voiceActivity), queue: new EngineQueue() }
}

/** The full error of an own model helps its operator. Our own models fail only if a file is damaged. */
function refuse({ ownModel }: RecogniserSetup, cause: unknown): never {
  const why = ownModel !== null && cause instanceof Error ? cause.message : 'the speech models cannot be loaded'
  throw new SpeechFailed(`native: ${why}`, { retryable: false, cause })
}

/** Imported on demand, because the package is optional. */
async function loadOwn(folder: string): Promise<Engine> {
  const { loadSherpa } = await import('./sherpa-engine.ts')
  return loadSherpa(folder)
}

function handle(tools: Tools, message: Exclude<ToRecogniser, { kind: 'setup' }>): void {
  const { job } = message
  const stream = streams.get(job)
  switch (message.kind) {
    case 'transcribe':
      transcribe(tools, job, message.file).catch((error: unknown) => fail(job, error))
      return
    case 'open':
      streams.set(job, openLive(tools, job))
      return
    case 'audio':
      stream?.write(message.pcm, message.at)
      return
    case 'end':
      stream?.end().then(
        () => finish(job, tools.engine),
        (error: unknown) => fail(job, error),
      )
      return
    case 'stop':
      files.get(job)?.abort()
      stream?.stop()
      forget(job)
  }
}

async function transcribe(tools: Tools, job: number, file: string): Promise<void> {
  const stopped = new AbortController()
  files.set(job, stopped)
  const onProgress = () => send({ kind: 'progress', job })
  for await (const utterance of transcribeFile({ ...tools, onProgress }, file, stopped.signal)) send({ kind: 'utterance', job, utterance })
  finish(job, tools.engine)
}

function openLive(tools: Tools, job: number): LiveRecognition {
  return new LiveRecognition({
    ...tools,
    onResult: (result) => send({ kind: 'result', job, result }),
    onFailed: (error) => fail(job, error),
  })
}

function finish(job: number, { name }: Engine): void {
  forget(job)
  send({ kind: 'done', job, engine: name })
}

function fail(job: number, error: unknown): void {
  forget(job)
  const ours = error instanceof SpeechFailed ? error : new SpeechFailed('native: recognition failed', { retryable: false, cause: error })
  send({ kind: 'failed', job, message: ours.message, retryable: ours.retryable, detail: detailOf(ours.cause) })
}

/** IPC would lose the stack of an error object. */
function detailOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause ?? '')
}

function forget(job: number): void {
  files.delete(job)
  streams.delete(job)
}

function send(message: FromRecogniser): void {
  // The parent process may have exited, and then this process is about to exit too.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}
