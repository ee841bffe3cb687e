// The process that does the listening, so that a service or a bot host goes on breathing. Started by path; it ends when its channel does.
import { SpeechFailed } from '../provider.ts'
import type { Engine } from './engine.ts'
import { LiveVoice } from './live-voice.ts'
import { loadMoonshine } from './moonshine.ts'
import { transcribeFile } from './transcribe-file.ts'
import { Turns } from './turns.ts'
import { VoiceActivity } from './voice-activity.ts'
import type { Equipment, FromWorker, ToWorker } from './wire.ts'

type Tools = { readonly engine: Engine; readonly voiceActivity: VoiceActivity; readonly turns: Turns }

const files = new Map<number, AbortController>()
const voices = new Map<number, LiveVoice>()
let tools: Promise<Tools> = Promise.reject(new Error('The worker was not equipped.'))
tools.catch(() => undefined)
/** Orders are carried out as they came, and none before there is an engine. */
let last: Promise<void> = Promise.resolve()

process.on('message', (order: ToWorker) => {
  if (order.kind === 'equip') tools = load(order.equipment).catch((error: unknown) => refuse(order.equipment, error))
  else last = last.then(async () => carryOut(await tools, order)).catch((error: unknown) => fail(order.job, error))
})
process.on('disconnect', () => process.exit(0))

async function load({ voiceActivity, moonshine, ownModel, threads }: Equipment): Promise<Tools> {
  const engine = moonshine ? await loadMoonshine(moonshine, threads) : await loadOwn(ownModel ?? '', threads)
  return { engine, voiceActivity: await VoiceActivity.load(voiceActivity), turns: new Turns() }
}

/** What is wrong with weights of one's own is said in full; ours are either damaged or not. */
function refuse({ ownModel }: Equipment, cause: unknown): never {
  const why = ownModel !== null && cause instanceof Error ? cause.message : 'the speech models cannot be loaded'
  throw new SpeechFailed(`native: ${why}`, { passing: false, cause })
}

/** The library is loaded only where it is used. */
async function loadOwn(folder: string, threads: number): Promise<Engine> {
  const { loadSherpa } = await import('./sherpa-engine.ts')
  return loadSherpa(folder, threads)
}

function carryOut(tools: Tools, order: Exclude<ToWorker, { kind: 'equip' }>): void {
  const { job } = order
  const voice = voices.get(job)
  switch (order.kind) {
    case 'transcribe':
      transcribe(tools, job, order.file).catch((error: unknown) => fail(job, error))
      return
    case 'open':
      voices.set(job, liveVoice(tools, job))
      return
    case 'audio':
      voice?.write(order.pcm, order.at)
      return
    case 'end':
      voice?.end().then(
        () => finish(job, tools.engine),
        (error: unknown) => fail(job, error),
      )
      return
    case 'stop':
      files.get(job)?.abort()
      voice?.stop()
      forget(job)
  }
}

async function transcribe(tools: Tools, job: number, file: string): Promise<void> {
  const stopped = new AbortController()
  files.set(job, stopped)
  const onProgress = () => tell({ kind: 'progress', job })
  for await (const utterance of transcribeFile({ ...tools, onProgress }, file, stopped.signal)) tell({ kind: 'utterance', job, utterance })
  finish(job, tools.engine)
}

function liveVoice(tools: Tools, job: number): LiveVoice {
  return new LiveVoice({
    ...tools,
    onHeard: (heard) => tell({ kind: 'heard', job, heard }),
    onFailed: (error) => fail(job, error),
  })
}

function finish(job: number, { name }: Engine): void {
  forget(job)
  tell({ kind: 'done', job, engine: name })
}

function fail(job: number, error: unknown): void {
  forget(job)
  const ours = error instanceof SpeechFailed ? error : new SpeechFailed('native: recognition failed', { passing: false, cause: error })
  tell({ kind: 'failed', job, message: ours.message, passing: ours.passing, detail: detailOf(ours.cause) })
}

/** An error does not travel between processes with all it knows. */
function detailOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause ?? '')
}

function forget(job: number): void {
  files.delete(job)
  voices.delete(job)
}

function tell(message: FromWorker): void {
  // Whoever asked may be gone by now; then this process is about to go too.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}
