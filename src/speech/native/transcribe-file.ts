// Transcribes a whole file.
import type { Utterance } from '../provider.ts'
import { windowsOfFile } from './audio-windows.ts'
import { type Engine, type SpeechSegment, utteranceOf } from './engine.ts'
import { Segmenter } from './segmenter.ts'
import type { VoiceActivity } from './voice-activity.ts'

export type FileTools = {
  readonly engine: Engine
  readonly voiceActivity: VoiceActivity
  /** Called regularly as a sign of life. */
  readonly onProgress: () => void
}

/** In the order of their times. */
export async function* transcribeFile(tools: FileTools, file: string, signal: AbortSignal): AsyncGenerator<Utterance> {
  for await (const segments of groupsOf(segmentsOf(tools, file, signal))) {
    const words = await tools.engine.recogniseAll(segments, signal, tools.onProgress)
    if (!words) return
    for (const [at, segment] of segments.entries()) {
      const utterance = utteranceOf(segment, words[at] ?? [])
      if (utterance) yield utterance
    }
  }
}

/** Enough for an engine to find segments of similar length, and few enough for memory. */
const GROUP = 16

async function* groupsOf(segments: AsyncIterable<SpeechSegment>): AsyncGenerator<readonly SpeechSegment[]> {
  let group: SpeechSegment[] = []
  for await (const segment of segments) {
    group.push(segment)
    if (group.length < GROUP) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

const PROGRESS_WINDOWS = 256

async function* segmentsOf({ voiceActivity, onProgress }: FileTools, file: string, signal: AbortSignal): AsyncGenerator<SpeechSegment> {
  const voiceProbability = voiceActivity.detector()
  const segmenter = new Segmenter(0)
  let seen = 0
  for await (const window of windowsOfFile(file, signal)) {
    if (seen++ % PROGRESS_WINDOWS === 0) onProgress()
    const segment = segmenter.push(window, await voiceProbability(window))
    if (segment) yield segment
  }
  const last = segmenter.flush()
  if (last) yield last
}
