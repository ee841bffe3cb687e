// Transcribes a whole file.
import type { Utterance } from '../../domain/transcript.ts'
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

async function* segmentsOf({ voiceActivity, onProgress }: FileTools, file: string, signal: AbortSignal): AsyncGenerator<SpeechSegment> {
  const detect = voiceActivity.detector()
  const segmenter = new Segmenter(0)
  for await (const windows of windowsOfFile(file, signal)) {
    onProgress()
    const probabilities = await detect(windows)
    for (const [at, window] of windows.entries()) {
      const segment = segmenter.push(window, probabilities[at] ?? 0)
      if (segment) yield segment
    }
  }
  const last = segmenter.flush()
  if (last) yield last
}
