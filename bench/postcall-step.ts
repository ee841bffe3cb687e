// One step after the call in a process of its own, which says at its end what processor time it and all it started have taken.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseManifest } from '../src/domain/recording.ts'
import { composeVideo, piecesOf } from '../src/service/media/compose.ts'
import { convertAudio } from '../src/service/media/convert.ts'
import { mixAudio } from '../src/service/media/mix.ts'
import { planMedia } from '../src/service/media/plan.ts'
import { speakerTimeline } from '../src/service/media/speaker-timeline.ts'
import { makeStreams } from '../src/service/media/streams.ts'

const NAMES = { ann: 'Ann Archer', bob: 'Bob Baker', cy: 'Cy Carter', dot: 'Dot Dyer' }
const WORKSHOP = { threads: 2 }
const TICKS_PER_SECOND = 100

const [step = '', recording = '', output = ''] = process.argv.slice(2)
const manifest = parseManifest(readFileSync(path.join(recording, 'manifest.jsonl'), 'utf8'))
const plan = planMedia(
  manifest,
  Object.entries(NAMES).map(([id, name]) => ({ id, name })),
)
const order = { recording, output, plan }

/** Each finds what those before it have made. */
const STEPS: Readonly<Record<string, () => Promise<unknown>>> = {
  plan: async () => [piecesOf(plan, 'grid_view'), piecesOf(plan, 'speaker_view'), speakerTimeline(manifest, plan)],
  streams: () => makeStreams(WORKSHOP, { ...order, kinds: ['audio', 'camera', 'screen'] }),
  mix: () => mixAudio(WORKSHOP, order),
  mp3: async () => convertAudio(WORKSHOP, await mixAudio(WORKSHOP, order), 'mp3'),
  grid_view: async () => composeVideo(WORKSHOP, { ...order, view: 'grid_view', audio: await mixAudio(WORKSHOP, order) }),
  speaker_view: async () => composeVideo(WORKSHOP, { ...order, view: 'speaker_view', audio: await mixAudio(WORKSHOP, order) }),
}

const run = STEPS[step]
if (!run) throw new Error(`bench: there is no step named ${step}.`)
await run()
process.stdout.write(String(spentSeconds()))

/** The name may hold blanks and brackets; the fields after it are counted from its end: our own time, and that of those who ended. */
function spentSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0) / TICKS_PER_SECOND
}
