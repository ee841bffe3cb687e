// Chooses the encoder of composed videos by encoding a few frames with it.
import { firstLine } from '../../../kit/failure.ts'
import { readMatroska } from '../../../kit/matroska/reader.ts'
import { ProcessFailed, runProcess } from '../../../kit/process.ts'
import { type Encoder, type EncoderName, encodingArgs, HARDWARE_ENCODERS, type VideoPreset } from './encoder.ts'
import { PICTURE } from './tiles.ts'

export type EncoderChoice = EncoderName | 'auto'

const TRY_WITHIN_MS = 20_000
const [FRAMES, FPS] = [10, 15]

/** A named encoder is taken as it is: `encoderProblem` says whether it works. */
export async function chooseEncoder(choice: EncoderChoice, preset: VideoPreset, program = 'ffmpeg'): Promise<Encoder> {
  if (choice !== 'auto') return { name: choice, preset }
  for (const name of HARDWARE_ENCODERS) if ((await encoderProblem({ name, preset }, program)) === null) return { name, preset }
  return { name: 'x264', preset }
}

/** The version of ffmpeg; empty: it is not installed. */
export async function buildOf(program = 'ffmpeg'): Promise<string> {
  try {
    const [version = ''] = String(await runProcess({ program, args: ['-version'], limitMs: TRY_WITHIN_MS })).split('\n')
    return version
  } catch (error) {
    if (error instanceof ProcessFailed && error.isNotInstalled) return ''
    throw error
  }
}

/** Why the encoder does not work; null: it works. */
export async function encoderProblem(encoder: Encoder, program = 'ffmpeg'): Promise<string | null> {
  const { device, upload, output } = encodingArgs(encoder, FPS, { shows: 'cameras', besideCopies: false })
  const source = `testsrc2=size=${PICTURE.width}x${PICTURE.height}:rate=${FPS}`
  const filters = ['format=yuv420p', ...upload].join()
  const picture = ['-f', 'lavfi', '-i', source, '-frames:v', String(FRAMES), '-vf', filters]
  const args = ['-hide_banner', '-v', 'error', '-nostdin', ...device, ...picture, ...output, '-f', 'matroska', 'pipe:1']
  try {
    const made = readMatroska(await runProcess({ program, args, limitMs: TRY_WITHIN_MS }))
    if (made?.packets.length === FRAMES && made.packets[0]?.key) return null
    return `ffmpeg made ${made?.packets.length ?? 0} of ${FRAMES} frames`
  } catch (error) {
    return firstLine(error)
      .replace(/ @ 0x[0-9a-f]+/g, '')
      .replace(/\.$/, '')
  }
}
