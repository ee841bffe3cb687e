// Checks of the machine without a browser: ffmpeg, speech, database and disk.
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Check, note, ok, problem } from '../../domain/doctor.ts'
import { firstLine } from '../../kit/failure.ts'
import { runProcess } from '../../kit/process.ts'
import { findProgram } from '../../kit/programs.ts'
import { modelFiles } from '../../speech/models.ts'
import { readServerVersion } from '../db/server-version.ts'
import { chooseEncoder, type EncoderChoice, encoderProblem } from '../media/video/choose-encoder.ts'
import { isEmbeddedRunning } from '../postgres/postmaster.ts'

export type MachineSettings = {
  readonly dataFolder: string
  readonly leastDiskMegabytes: number
  readonly databaseUrl: string | undefined
  readonly modelsFolder: string
  readonly ownModel: string | undefined
  readonly videoEncoder: EncoderChoice
}

const FFMPEG_WITHIN_MS = 10_000
const MEGABYTE = 1024 * 1024
/** The ffmpeg encoders that recordings need: video and each audio format. */
const ENCODERS = ['libx264', 'aac', 'libmp3lame', 'libopus']

export async function checkMachine(settings: MachineSettings): Promise<readonly Check[]> {
  const { modelsFolder, ownModel, videoEncoder } = settings
  return [
    await checkFfmpeg(),
    await checkEncoder(videoEncoder),
    checkWeights(ownModel, modelsFolder),
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

function checkWeights(ownModel: string | undefined, folder: string): Check {
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

async function checkDatabase({ databaseUrl, dataFolder }: MachineSettings): Promise<Check> {
  if (!databaseUrl) {
    const isRunning = await isEmbeddedRunning(join(dataFolder, 'postgres'))
    return ok('database', `The embedded database ${isRunning ? 'runs' : 'does not run now; `emissary serve` starts it'}`)
  }
  try {
    return ok('database', `PostgreSQL ${await readServerVersion(databaseUrl)} answers at DATABASE_URL`)
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error
    return problem('database', `The database does not answer: ${firstLine(cause)}`, 'Start it, or correct DATABASE_URL.')
  }
}

async function checkDisk({ dataFolder, leastDiskMegabytes }: MachineSettings): Promise<Check> {
  const { bavail, bsize } = await statfs(firstThatExists(dataFolder))
  const free = Math.floor((bavail * bsize) / MEGABYTE)
  if (free >= leastDiskMegabytes) return ok('disk', `${free} MB are free in DATA_DIR`)
  return problem(
    'disk',
    `${free} MB are free in DATA_DIR, but MIN_FREE_DISK_MB is ${leastDiskMegabytes}`,
    'Free some space, or lower MIN_FREE_DISK_MB.',
  )
}

function firstThatExists(folder: string): string {
  return existsSync(folder) ? folder : firstThatExists(dirname(folder))
}
