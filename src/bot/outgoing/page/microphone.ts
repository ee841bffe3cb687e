/// <reference lib="dom" />
// The bot's microphone: whatever it is given to say sounds one thing after another, without a gap where there need be none.

export type Began = 'sounds' | 'cleared' | 'unreadable'
export type Clip = { readonly begun: Promise<Began>; readonly over: Promise<void> }

const RATE = 48_000
/** What is to begin sooner could be in the past when the sound machine gets to it. */
const SOONEST_SECONDS = 0.01
const CLIP_LEAD_SECONDS = 0.05
/** What is fed comes bit by bit, and each must be there before the one before has ended. */
const FEED_LEAD_SECONDS = 0.1
/** Sound that ends and goes on within so short a time came too late: it is given more time to come. */
const LATE_SECONDS = 0.5
const LATE_LEAD_SECONDS = 0.3
/** Nobody hears how long the sound machine goes on in silence; starting it again takes a moment. */
const REST_AFTER_MS = 2_000

type Opened = { readonly context: AudioContext; readonly mouth: MediaStreamAudioDestinationNode }
type Sound = { readonly leadSeconds: number; readonly begins: () => void; readonly ends: (how: Began) => void }
type Scheduled = { readonly source: AudioBufferSourceNode; readonly timer: number; readonly sound: Sound }

export class Microphone {
  readonly #scheduled = new Set<Scheduled>()
  #opened: Opened | null = null
  /** What was asked for first sounds first, however long it takes to decode. */
  #line: Promise<unknown> = Promise.resolve()
  #waiting = 0
  /** Raised by `clear`: what was asked for before belongs to the past. */
  #era = 0
  #endsAtSeconds = Number.NEGATIVE_INFINITY
  #rest = 0

  /** A clone, so that a page which stops its track does not stop the microphone. */
  track(): MediaStreamTrack | undefined {
    return this.#open().mouth.stream.getAudioTracks()[0]?.clone()
  }

  play(file: Blob): Clip {
    const begun = Promise.withResolvers<Began>()
    const over = Promise.withResolvers<void>()
    const end = (how: Began) => {
      begun.resolve(how)
      over.resolve()
    }
    void this.#enqueue(async (isPast) => {
      const bytes = await file.arrayBuffer()
      const buffer = await this.#open()
        .context.decodeAudioData(bytes)
        .catch(() => null)
      if (!buffer) return end('unreadable')
      const sound = { leadSeconds: CLIP_LEAD_SECONDS, begins: () => begun.resolve('sounds'), ends: end }
      await this.#schedule(buffer, sound, isPast)
    })
    return { begun: begun.promise, over: over.promise }
  }

  /** One channel of 48,000 samples a second, 16 bits each, the lower byte first. */
  feed(pcm: Uint8Array<ArrayBuffer>): void {
    void this.#enqueue(async (isPast) => {
      const view = new DataView(pcm.buffer)
      const samples = Float32Array.from({ length: pcm.length >> 1 }, (_, index) => view.getInt16(index * 2, true) / 32_768)
      if (samples.length === 0) return
      const buffer = new AudioBuffer({ length: samples.length, sampleRate: RATE, numberOfChannels: 1 })
      buffer.copyToChannel(samples, 0)
      const isLate = this.#open().context.currentTime - this.#endsAtSeconds < LATE_SECONDS
      await this.#schedule(buffer, { leadSeconds: isLate ? LATE_LEAD_SECONDS : FEED_LEAD_SECONDS, begins() {}, ends() {} }, isPast)
    })
  }

  clear(): void {
    this.#era++
    this.#waiting = 0
    this.#line = Promise.resolve()
    this.#endsAtSeconds = Number.NEGATIVE_INFINITY
    for (const each of this.#scheduled) {
      each.source.onended = null
      each.source.stop()
      this.#end(each, 'cleared')
    }
  }

  sounding(): boolean {
    return this.#waiting > 0 || this.#scheduled.size > 0
  }

  #open(): Opened {
    if (this.#opened) return this.#opened
    const context = new AudioContext({ sampleRate: RATE })
    const mouth = new MediaStreamAudioDestinationNode(context, { channelCount: 1, channelCountMode: 'explicit' })
    // A mouth that is fed nothing sends nothing: each pause between two words would reach the others as a broken connection.
    const silence = new ConstantSourceNode(context, { offset: 0 })
    silence.connect(mouth)
    silence.start()
    this.#opened = { context, mouth }
    this.#restSoon()
    return this.#opened
  }

  #enqueue(work: (isPast: () => boolean) => Promise<void>): Promise<void> {
    const era = this.#era
    const isPast = () => era !== this.#era
    this.#waiting++
    const turn = this.#line
      .then(() => work(isPast))
      .finally(() => {
        if (!isPast()) this.#waiting--
        this.#restSoon()
      })
    this.#line = turn.catch(() => undefined) // Told to whoever asked for it; the next one sounds all the same.
    return turn
  }

  async #schedule(buffer: AudioBuffer, sound: Sound, isPast: () => boolean): Promise<void> {
    const { context, mouth } = this.#open()
    clearTimeout(this.#rest)
    await context.resume()
    if (isPast()) return sound.ends('cleared')
    const goesOn = this.#endsAtSeconds > context.currentTime + SOONEST_SECONDS
    const beginsAt = onWholeSample(goesOn ? this.#endsAtSeconds : context.currentTime + sound.leadSeconds)
    this.#endsAtSeconds = beginsAt + buffer.duration
    const source = new AudioBufferSourceNode(context, { buffer })
    const timer = window.setTimeout(sound.begins, (beginsAt - context.currentTime) * 1000)
    const scheduled = { source, timer, sound }
    this.#scheduled.add(scheduled)
    source.onended = () => this.#end(scheduled, 'sounds')
    source.connect(mouth)
    source.start(beginsAt)
  }

  #end(scheduled: Scheduled, how: Began): void {
    clearTimeout(scheduled.timer)
    scheduled.source.disconnect()
    this.#scheduled.delete(scheduled)
    scheduled.sound.ends(how)
    this.#restSoon()
  }

  #restSoon(): void {
    clearTimeout(this.#rest)
    this.#rest = window.setTimeout(() => !this.sounding() && this.#opened?.context.suspend(), REST_AFTER_MS)
  }
}

/** Anywhere between two samples the neighbours would be blended, and every seam would be heard. */
function onWholeSample(seconds: number): number {
  return Math.round(seconds * RATE) / RATE
}
