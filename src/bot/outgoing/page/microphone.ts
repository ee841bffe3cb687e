/// <reference lib="dom" />
// The bot's microphone: plays clips and raw audio one after another, and joins raw audio without gaps.

export type StartOutcome = 'playing' | 'cleared' | 'undecodable'
export type Clip = { readonly started: Promise<StartOutcome>; readonly ended: Promise<void> }

const RATE = 48_000
/** A sooner start could be in the past when the audio thread gets to it. */
const SOONEST_SECONDS = 0.01
const CLIP_LEAD_SECONDS = 0.05
/** Raw audio comes in chunks, and each must arrive before the one before ends. */
const FEED_LEAD_SECONDS = 0.1
/** Raw audio that continues within this time after it ended came too late. It gets a longer lead. */
const LATE_SECONDS = 0.5
const LATE_LEAD_SECONDS = 0.3
/** An audio context that runs in silence costs CPU, and resuming it takes a moment. */
const SUSPEND_AFTER_MS = 2_000

type Opened = { readonly context: AudioContext; readonly output: MediaStreamAudioDestinationNode }
type Sound = { readonly leadSeconds: number; readonly onStart: () => void; readonly onEnd: (outcome: StartOutcome) => void }
type Scheduled = { readonly source: AudioBufferSourceNode; readonly timer: number; readonly sound: Sound }

export class Microphone {
  readonly #scheduled = new Set<Scheduled>()
  #opened: Opened | null = null
  /** Audio plays in the order of the calls, however long it takes to decode. */
  #queue: Promise<unknown> = Promise.resolve()
  #waiting = 0
  /** Raised by `clear`: audio of an earlier generation is dropped. */
  #generation = 0
  #endsAtSeconds = Number.NEGATIVE_INFINITY
  #suspendTimer = 0

  /** A clone, so that a page that stops its track does not stop the microphone. */
  track(): MediaStreamTrack | undefined {
    return this.#open().output.stream.getAudioTracks()[0]?.clone()
  }

  play(file: Blob): Clip {
    const started = Promise.withResolvers<StartOutcome>()
    const ended = Promise.withResolvers<void>()
    const end = (outcome: StartOutcome) => {
      started.resolve(outcome)
      ended.resolve()
    }
    void this.#enqueue(async (isCleared) => {
      const bytes = await file.arrayBuffer()
      const buffer = await this.#open()
        .context.decodeAudioData(bytes)
        .catch(() => null)
      if (!buffer) return end('undecodable')
      const sound = { leadSeconds: CLIP_LEAD_SECONDS, onStart: () => started.resolve('playing'), onEnd: end }
      await this.#schedule(buffer, sound, isCleared)
    })
    return { started: started.promise, ended: ended.promise }
  }

  /** Mono pcm s16le at 48 kHz. */
  feed(pcm: Uint8Array<ArrayBuffer>): void {
    void this.#enqueue(async (isCleared) => {
      const view = new DataView(pcm.buffer)
      const samples = Float32Array.from({ length: pcm.length >> 1 }, (_, index) => view.getInt16(index * 2, true) / 32_768)
      if (samples.length === 0) return
      const buffer = new AudioBuffer({ length: samples.length, sampleRate: RATE, numberOfChannels: 1 })
      buffer.copyToChannel(samples, 0)
      const isLate = this.#open().context.currentTime - this.#endsAtSeconds < LATE_SECONDS
      await this.#schedule(buffer, { leadSeconds: isLate ? LATE_LEAD_SECONDS : FEED_LEAD_SECONDS, onStart() {}, onEnd() {} }, isCleared)
    })
  }

  clear(): void {
    this.#generation++
    this.#waiting = 0
    this.#queue = Promise.resolve()
    this.#endsAtSeconds = Number.NEGATIVE_INFINITY
    for (const each of this.#scheduled) {
      each.source.onended = null
      each.source.stop()
      this.#end(each, 'cleared')
    }
  }

  isPlaying(): boolean {
    return this.#waiting > 0 || this.#scheduled.size > 0
  }

  #open(): Opened {
    if (this.#opened) return this.#opened
    const context = new AudioContext({ sampleRate: RATE })
    const output = new MediaStreamAudioDestinationNode(context, { channelCount: 1, channelCountMode: 'explicit' })
    // Without any input the output sends no packets, and each pause would look like a broken connection to the other participants.
    const silence = new ConstantSourceNode(context, { offset: 0 })
    silence.connect(output)
    silence.start()
    this.#opened = { context, output }
    this.#suspendSoon()
    return this.#opened
  }

  #enqueue(work: (isCleared: () => boolean) => Promise<void>): Promise<void> {
    const generation = this.#generation
    const isCleared = () => generation !== this.#generation
    this.#waiting++
    const turn = this.#queue
      .then(() => work(isCleared))
      .finally(() => {
        if (!isCleared()) this.#waiting--
        this.#suspendSoon()
      })
    this.#queue = turn.catch(() => undefined) // The caller gets the error, and the next audio plays anyway.
    return turn
  }

  async #schedule(buffer: AudioBuffer, sound: Sound, isCleared: () => boolean): Promise<void> {
    const { context, output } = this.#open()
    clearTimeout(this.#suspendTimer)
    await context.resume()
    if (isCleared()) return sound.onEnd('cleared')
    const continues = this.#endsAtSeconds > context.currentTime + SOONEST_SECONDS
    const startsAt = onWholeSample(continues ? this.#endsAtSeconds : context.currentTime + sound.leadSeconds)
    this.#endsAtSeconds = startsAt + buffer.duration
    const source = new AudioBufferSourceNode(context, { buffer })
    const timer = window.setTimeout(sound.onStart, (startsAt - context.currentTime) * 1000)
    const scheduled = { source, timer, sound }
    this.#scheduled.add(scheduled)
    source.onended = () => this.#end(scheduled, 'playing')
    source.connect(output)
    source.start(startsAt)
  }

  #end(scheduled: Scheduled, outcome: StartOutcome): void {
    clearTimeout(scheduled.timer)
    scheduled.source.disconnect()
    this.#scheduled.delete(scheduled)
    scheduled.sound.onEnd(outcome)
    this.#suspendSoon()
  }

  #suspendSoon(): void {
    clearTimeout(this.#suspendTimer)
    this.#suspendTimer = window.setTimeout(() => !this.isPlaying() && this.#opened?.context.suspend(), SUSPEND_AFTER_MS)
  }
}

/** Between two samples the browser interpolates, which makes every boundary audible. */
function onWholeSample(seconds: number): number {
  return Math.round(seconds * RATE) / RATE
}
