// Measures a bot's media for operators: frames that are in no file, and the delay of its live outputs.
import type { FromWorker } from '../../domain/protocol.ts'
import type { CaptureHealth } from '../capture/capture.ts'
import { type LiveOutputs, type LiveOutputTools, openLiveOutputs } from '../live/live-outputs.ts'

const REPORT_EVERY_MS = 1_000

type Measured = Omit<Extract<FromWorker, { kind: 'measured' }>, 'kind' | 'botId' | 'fence'>

export class Measurements {
  #lost = { page: 0, recording: 0 }
  #liveAudioMs: number | null = null
  #liveWordsMs: number[] = []

  /** Sound was given to the live receiver this long after it arrived in the page. */
  onLiveAudio(delayMs: number): void {
    this.#liveAudioMs = Math.max(this.#liveAudioMs ?? 0, delayMs)
  }

  /** Words were final this long after they were spoken. */
  onWords(delayMs: number): void {
    this.#liveWordsMs.push(Math.max(0, delayMs))
  }

  /** Everything since the last call; null if there is nothing. */
  take({ dropped, pages }: Pick<CaptureHealth, 'dropped' | 'pages'>): Measured | null {
    const lost = { page: pages.reduce((sum, page) => sum + page.dropped, 0), recording: dropped }
    // A page that is gone takes its count with it.
    const since = (cause: keyof typeof lost): number => Math.max(0, lost[cause] - this.#lost[cause])
    const measured = {
      lostFrames: { page: since('page'), recording: since('recording') },
      liveAudioMs: this.#liveAudioMs,
      liveWordsMs: this.#liveWordsMs,
    }
    this.#lost = lost
    this.#liveAudioMs = null
    this.#liveWordsMs = []
    const { lostFrames, liveAudioMs, liveWordsMs } = measured
    return lostFrames.page + lostFrames.recording + liveWordsMs.length > 0 || liveAudioMs !== null ? measured : null
  }
}

/** Opens the live outputs, and reports figures until they end. */
export function openMeasuredOutputs(tools: LiveOutputTools): LiveOutputs {
  const { orders, capture, report } = tools
  const { botId, fence, spec } = orders
  const measurements = new Measurements()
  const addWords: typeof capture.addWords = (line) => {
    capture.addWords(line)
    measurements.onWords(capture.nowMs() - line.end * 1000)
  }
  const outputs = openLiveOutputs({ ...tools, capture: { ...capture, addWords } })
  const measure = (): void => {
    const measured = measurements.take(capture.health())
    if (measured) report({ kind: 'measured', botId, fence, ...measured })
  }
  const timer = setInterval(measure, REPORT_EVERY_MS)
  return {
    ...outputs,
    onAudio(speaker, pcm, atMs) {
      outputs.onAudio(speaker, pcm, atMs)
      if (spec.liveAudioUrl) measurements.onLiveAudio(capture.nowMs() - atMs)
    },
    async end() {
      clearInterval(timer)
      await outputs.end()
      measure()
    },
  }
}
