// A whole file, from its first to its last word.
import type { Utterance } from '../provider.ts'
import { type Engine, type Stretch, utteranceOf } from './engine.ts'
import { Segmenter } from './segmenter.ts'
import { windowsOfFile } from './sound.ts'
import type { VoiceActivity } from './voice-activity.ts'

export type FileTools = {
  readonly engine: Engine
  readonly voiceActivity: VoiceActivity
  /** Called again and again, so that others know it is under way. */
  readonly onProgress: () => void
}

/** In the order they were spoken. */
export async function* transcribeFile(tools: FileTools, file: string, signal: AbortSignal): AsyncGenerator<Utterance> {
  for await (const stretch of stretchesOf(tools, file, signal)) {
    const words = await tools.engine.hear(stretch, signal)
    if (!words) return
    const utterance = utteranceOf(stretch, words)
    if (utterance) yield utterance
  }
}

const PROGRESS_WINDOWS = 256

async function* stretchesOf({ voiceActivity, onProgress }: FileTools, file: string, signal: AbortSignal): AsyncGenerator<Stretch> {
  const voiceIn = voiceActivity.listener()
  const segmenter = new Segmenter(0)
  let seen = 0
  for await (const window of windowsOfFile(file, signal)) {
    if (seen++ % PROGRESS_WINDOWS === 0) onProgress()
    const stretch = segmenter.push(window, await voiceIn(window))
    if (stretch) yield stretch
  }
  const last = segmenter.flush()
  if (last) yield last
}
