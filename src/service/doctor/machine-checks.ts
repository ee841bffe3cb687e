// What the machine itself brings, looked at without a browser: ffmpeg, speech, database, disk, and who hosts run as.
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Check, note, ok, problem } from '../../domain/doctor.ts'
import { firstLine } from '../../kit/failure.ts'
import { runProcess } from '../../kit/process.ts'
import { findProgram } from '../../kit/programs.ts'
import { modelFiles } from '../../speech/models.ts'
import { askVersion, isEmbeddedRunning } from '../db/answers.ts'

export type MachineSettings = {
  readonly dataFolder: string
  readonly leastDiskMegabytes: number
  readonly databaseUrl: string | undefined
  readonly modelsFolder: string
  readonly ownModel: string | undefined
}

const FFMPEG_WITHIN_MS = 10_000
const MEGABYTE = 1024 * 1024
/** What recordings are made with: video, and each format of audio. */
const ENCODERS = ['libx264', 'aac', 'libmp3lame', 'libopus']

export async function checkMachine(settings: MachineSettings): Promise<readonly Check[]> {
  const { modelsFolder, ownModel } = settings
  return [
    await checkFfmpeg(),
    checkWeights(ownModel, modelsFolder),
    checkVoices(),
    await checkDatabase(settings),
    await checkDisk(settings),
  ]
}

async function checkFfmpeg(): Promise<Check> {
  const program = findProgram('ffmpeg')
  if (!program) return problem('ffmpeg', 'It is not installed, so recordings are not put together', 'Install the package ffmpeg.')
  try {
    const encoders = (await runProcess({ program, args: ['-hide_banner', '-encoders'], limitMs: FFMPEG_WITHIN_MS })).toString()
    const missing = ENCODERS.filter((name) => !new RegExp(`^ \\S+ ${name} `, 'm').test(encoders))
    if (missing.length === 0) return ok('ffmpeg', `It has ${ENCODERS.join(', ')}`)
    return problem('ffmpeg', `It lacks the encoders ${missing.join(', ')}`, 'Install the ffmpeg of your distribution.')
  } catch (error) {
    return problem('ffmpeg', `It does not run: ${firstLine(error)}`, 'Install the package ffmpeg again.')
  }
}

function checkWeights(ownModel: string | undefined, folder: string): Check {
  if (ownModel && !existsSync(join(ownModel, 'model.json')))
    return problem(
      'speech',
      `NATIVE_MODEL names ${ownModel}, which has no model.json`,
      'Set it to a folder with weights. See docs/speech.md.',
    )
  if (ownModel) return ok('speech', `Weights of your own in ${ownModel}`)
  if (Object.values(modelFiles(folder)).every((file) => existsSync(file))) return ok('speech', `Weights in ${folder}`)
  return problem('speech', `The weights are not in ${folder}, so the provider native fails`, 'Run `npx emissary models install`.')
}

function checkVoices(): Check {
  const missing = ['flite', 'espeak-ng'].filter((name) => !findProgram(name))
  if (missing.length === 0) return ok('voices', 'flite and espeak-ng speak for bots')
  return note('voices', `${missing.join(' and ')} cannot speak for bots`, `Install ${missing.join(' and ')}, or set VOICE_URL.`)
}

async function checkDatabase({ databaseUrl, dataFolder }: MachineSettings): Promise<Check> {
  if (!databaseUrl) {
    const isRunning = await isEmbeddedRunning(join(dataFolder, 'postgres'))
    return ok('database', `The embedded one ${isRunning ? 'runs' : 'does not run now; `emissary serve` starts it'}`)
  }
  try {
    return ok('database', `PostgreSQL ${await askVersion(databaseUrl)} answers at DATABASE_URL`)
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error
    return problem('database', `It does not answer: ${firstLine(cause)}`, 'Start it, or mend DATABASE_URL.')
  }
}

async function checkDisk({ dataFolder, leastDiskMegabytes }: MachineSettings): Promise<Check> {
  const { bavail, bsize } = await statfs(firstThatExists(dataFolder))
  const free = Math.floor((bavail * bsize) / MEGABYTE)
  if (free >= leastDiskMegabytes) return ok('disk', `${free} MB are free in DATA_DIR`)
  return problem('disk', `${free} MB are free in DATA_DIR, and ${leastDiskMegabytes} are wanted`, 'Make room, or lower MIN_FREE_DISK_MB.')
}

function firstThatExists(folder: string): string {
  return existsSync(folder) ? folder : firstThatExists(dirname(folder))
}
