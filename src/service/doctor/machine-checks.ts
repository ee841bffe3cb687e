// Checks of the machine without a browser: ffmpeg, speech, database and disk.
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Check, note, ok, problem } from '../../domain/doctor.ts'
import type { NativeSettings } from '../../domain/speech-providers.ts'
import { firstLine } from '../../kit/failure.ts'
import { runProcess } from '../../kit/process.ts'
import { findProgram } from '../../kit/programs.ts'
import { modelFiles } from '../../speech/models.ts'
import { limitsOf } from '../db/database.ts'
import { examineServer, KEEP_PREPARED, keepsPrepared, LOSES_PREPARED, roleLimits } from '../db/route.ts'
import { chooseEncoder, type EncoderChoice, encoderProblem } from '../media/video/choose-encoder.ts'
import { isEmbeddedRunning } from '../postgres/postmaster.ts'

/** Named as in the configuration, which is passed whole. */
export type MachineSettings = {
  readonly DATA_DIR: string
  readonly MIN_FREE_DISK_MB: number
  readonly DATABASE_URL: string | undefined
  readonly DATABASE_PREPARED: 'on' | 'off'
  readonly DATABASE_TIMEOUT_SECONDS: number
  readonly VIDEO_ENCODER: EncoderChoice
  readonly speech: { readonly native: NativeSettings }
}

const FFMPEG_WITHIN_MS = 10_000
const MEGABYTE = 1024 * 1024
/** The ffmpeg encoders that recordings need: video and each audio format. */
const ENCODERS = ['libx264', 'aac', 'libmp3lame', 'libopus']

export async function checkMachine(settings: MachineSettings): Promise<readonly Check[]> {
  return [
    await checkFfmpeg(),
    await checkEncoder(settings.VIDEO_ENCODER),
    checkWeights(settings.speech.native),
    checkVoices(),
    await checkDatabase(settings),
    await checkDisk(settings),
  ]
}

async function checkFfmpeg(): Promise<Check> {
  const program = findProgram('ffmpeg')
  if (!program) return problem('ffmpeg', 'ffmpeg is not installed, so recordings cannot be processed', 'Install the package ffmpeg.')
  try {
    const encoders = (await runProcess({ program, args: ['-hide_banner', '-encoders'], limitMs: FFMPEG_WITHIN_MS })).toString()
    const missing = ENCODERS.filter((name) => !new RegExp(`^ \\S+ ${name} `, 'm').test(encoders))
    if (missing.length === 0) return ok('ffmpeg', `ffmpeg has the encoders ${ENCODERS.join(', ')}`)
    return problem('ffmpeg', `ffmpeg lacks the encoders ${missing.join(', ')}`, 'Install the ffmpeg package of your distribution.')
  } catch (error) {
    return problem('ffmpeg', `ffmpeg does not run: ${firstLine(error)}`, 'Install the package ffmpeg again.')
  }
}

async function checkEncoder(choice: EncoderChoice): Promise<Check> {
  const encoder = await chooseEncoder(choice, 'balanced')
  const why = await encoderProblem(encoder)
  if (why === null) return ok('encoder', `Videos are encoded by ${encoder.name} (VIDEO_ENCODER=${choice})`)
  const cure = encoder.name === 'x264' ? 'Install the ffmpeg package of your distribution.' : 'Set VIDEO_ENCODER to auto or x264.'
  return problem('encoder', `${encoder.name} does not encode: ${why}`, cure)
}

function checkWeights({ ownModel, modelsFolder: folder }: NativeSettings): Check {
  if (ownModel && !existsSync(join(ownModel, 'model.json')))
    return problem('speech', `NATIVE_MODEL is ${ownModel}, which has no model.json`, 'Set it to a folder with a model. See docs/speech.md.')
  if (ownModel) return ok('speech', `The model of NATIVE_MODEL is in ${ownModel}`)
  if (Object.values(modelFiles(folder)).every((file) => existsSync(file))) return ok('speech', `The models are in ${folder}`)
  return problem('speech', `The models are not in ${folder}, so the provider native fails`, 'Run `npx emissary models install`.')
}

function checkVoices(): Check {
  const missing = ['flite', 'espeak-ng'].filter((name) => !findProgram(name))
  if (missing.length === 0) return ok('voices', 'flite and espeak-ng are installed, so bots can speak')
  return note(
    'voices',
    `${missing.join(' and ')} not found, so bots may not be able to speak`,
    `Install ${missing.join(' and ')}, or set VOICE_URL.`,
  )
}

async function checkDatabase(settings: MachineSettings): Promise<Check> {
  const { DATABASE_URL: url, DATA_DIR } = settings
  if (!url) {
    const isRunning = await isEmbeddedRunning(join(DATA_DIR, 'postgres'))
    return ok('database', `The embedded database ${isRunning ? 'runs' : 'does not run now; `emissary serve` starts it'}`)
  }
  try {
    return await checkServer(url, settings)
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error
    return problem('database', `The database does not answer: ${firstLine(cause)}`, 'Start it, or correct DATABASE_URL.')
  }
}

async function checkServer(url: string, { DATABASE_PREPARED, DATABASE_TIMEOUT_SECONDS }: MachineSettings): Promise<Check> {
  const limits = limitsOf(DATABASE_TIMEOUT_SECONDS)
  const facts = await examineServer({ url }, limits)
  const answers = `PostgreSQL ${facts.version} answers at DATABASE_URL`
  if (!facts.isPooled) return ok('database', answers)
  if (DATABASE_PREPARED === 'on' && (await keepsPrepared({ url }, facts)) === false)
    return problem('database', LOSES_PREPARED, KEEP_PREPARED)
  if (facts.statementMs > 0)
    return ok('database', `${answers} through a connection pooler. Statements end after ${facts.statementMs / 1000} s`)
  return note(
    'database',
    `${answers} through a connection pooler that drops the time limit of statements`,
    `Run: ${roleLimits(facts, limits.statementMs).join('; ')}; then RECONNECT in the pooler’s console.`,
  )
}

async function checkDisk({ DATA_DIR, MIN_FREE_DISK_MB: least }: MachineSettings): Promise<Check> {
  const { bavail, bsize } = await statfs(firstThatExists(DATA_DIR))
  const free = Math.floor((bavail * bsize) / MEGABYTE)
  if (free >= least) return ok('disk', `${free} MB are free in DATA_DIR`)
  return problem('disk', `${free} MB are free in DATA_DIR, but MIN_FREE_DISK_MB is ${least}`, 'Free some space, or lower MIN_FREE_DISK_MB.')
}

function firstThatExists(folder: string): string {
  return existsSync(folder) ? folder : firstThatExists(dirname(folder))
}
