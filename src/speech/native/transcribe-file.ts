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
  for await (const segment of segmentsOf(tools, file, signal)) {
    const words = await tools.engine.recognise(segment, signal)
    if (!words) return
    const utterance = utteranceOf(segment, words)
    if (utterance) yield utterance
  }
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
