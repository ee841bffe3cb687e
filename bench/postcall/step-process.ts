// One post-call step in a process, which prints the CPU time of itself and its descendants.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { parseManifest } from '../../src/domain/recording.ts'
import { convertAudio } from '../../src/service/media/audio/convert.ts'
import { mixAudio } from '../../src/service/media/audio/mixed-audio.ts'
import { speakerTimeline } from '../../src/service/media/audio/speaker-timeline.ts'
import { planMedia } from '../../src/service/media/plan.ts'
import { makeStreams } from '../../src/service/media/streams.ts'
import { composeVideo } from '../../src/service/media/video/compose.ts'
import { DEFAULT_ENCODER } from '../../src/service/media/video/encoder.ts'
import { joinPieces } from '../../src/service/media/video/join-pieces.ts'
import { piecesOf } from '../../src/service/media/video/pieces.ts'
import { MANIFEST, NAMES } from './recording.ts'

const FFMPEG_OPTIONS = {}
const atOnce = () => availableParallelism()
const TICKS_PER_SECOND = 100

const [step = '', recording = '', output = ''] = process.argv.slice(2)
const manifest = parseManifest(readFileSync(path.join(recording, MANIFEST), 'utf8'))
const plan = planMedia(
  manifest,
  Object.entries(NAMES).map(([id, name]) => ({ id, name })),
)
const order = { recording, output, plan, atOnce }

/** Each step uses the results of the steps before it. */
const STEPS: Readonly<Record<string, () => Promise<unknown>>> = {
  plan: async () => [piecesOf(plan, 'grid_view'), piecesOf(plan, 'speaker_view'), speakerTimeline(manifest, plan)],
  streams: () => makeStreams(FFMPEG_OPTIONS, { ...order, kinds: ['audio', 'camera', 'screen'] }),
  mix: () => mixAudio(FFMPEG_OPTIONS, order),
  mp3: async () => convertAudio(FFMPEG_OPTIONS, await mixAudio(FFMPEG_OPTIONS, order), 'mp3'),
  grid_view: async () => composeVideo(FFMPEG_OPTIONS, { ...order, view: 'grid_view', audio: await mixAudio(FFMPEG_OPTIONS, order) }),
  speaker_view: async () => composeVideo(FFMPEG_OPTIONS, { ...order, view: 'speaker_view', audio: await mixAudio(FFMPEG_OPTIONS, order) }),
  async speaker_view_encoded() {
    const pieces = piecesOf(plan, 'speaker_view')
    const target = { folder: path.join(output, 'encoded'), temporary: path.join(output, 'encoded.mp4') }
    const audio = mixAudio(FFMPEG_OPTIONS, order)
    return joinPieces(FFMPEG_OPTIONS, { ...order, ...target, pieces, copies: null, audio, encoder: DEFAULT_ENCODER })
  },
}

const run = STEPS[step]
if (!run) throw new Error(`bench: there is no step named ${step}.`)
await run()
process.stdout.write(String(spentSeconds()))

/** The name may contain blanks and brackets, so fields are counted after its end: own time, and that of exited children. */
function spentSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0) / TICKS_PER_SECOND
}
