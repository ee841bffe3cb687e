// One post-call step in a process that can be killed.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { mixAudio } from '../../../src/service/media/audio/mixed-audio.ts'
import { makeStreams } from '../../../src/service/media/streams.ts'
import { composeVideo } from '../../../src/service/media/video/compose.ts'
import { until } from '../until.ts'
import { planOf } from './media-meeting.ts'

export type Step = 'streams' | 'mix' | 'compose'

const FFMPEG_OPTIONS = {}

/** The steps as the service runs them. `compose` needs the mixed audio and makes it if it is missing. */
export const STEPS: Readonly<Record<Step, (recording: string, output: string) => Promise<unknown>>> = {
  streams: (recording, output) =>
    makeStreams(FFMPEG_OPTIONS, { recording, output, plan: planOf(recording), kinds: ['audio', 'camera', 'screen'] }),
  mix: (recording, output) => mixAudio(FFMPEG_OPTIONS, { recording, output, plan: planOf(recording) }),
  async compose(recording, output) {
    const plan = planOf(recording)
    const audio = await mixAudio(FFMPEG_OPTIONS, { recording, output, plan })
    return composeVideo(FFMPEG_OPTIONS, { recording, output, plan, view: 'grid_view', audio })
  },
}

/** Starts the step and kills it as soon as `moment` holds. */
export async function killedDuring(step: Step, folders: { recording: string; output: string }, moment: () => boolean): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), [step, folders.recording, folders.output], { execArgv: [] })
  const exited = once(child, 'exit')
  await until(`${step} is in the middle`, moment, 60_000)
  child.kill('SIGKILL')
  const [, signal] = await exited
  if (signal !== 'SIGKILL') throw new Error(`${step} had ended before it was killed.`)
}

const [program, step = '', recording = '', output = ''] = process.argv.slice(1)
if (program === fileURLToPath(import.meta.url)) await STEPS[step as Step](recording, output)
