/// <reference lib="dom" />
// Records the audio that a person in the room receives, sample by sample, with the machine's clock.
import type { Person } from '../../../sims/room/person.ts'
import { until } from '../until.ts'
import { stepsOf } from './outgoing-loudness.ts'

export type ReceivedAudio = {
  readonly sampleRate: number
  readonly samples: Float32Array
  /** When this sample was played to the person, by `Date.now()`. */
  playedAt(index: number): number
}

/** A pair of clocks: the audio's, and the machine's when the page saw it, which may be late on a busy machine. */
type Chunk = { readonly first: number; readonly soundMs: number; readonly seenAt: number }
type Recorded = { readonly sampleRate: number; readonly base64: string; readonly chunks: readonly Chunk[] }

type ListeningPage = {
  readonly emissaryRoom: {
    readonly people: readonly { readonly id: string; readonly name: string }[]
    readonly tracks: readonly { readonly person: string; readonly kind: string; readonly track: MediaStreamTrack }[]
  }
  readonly MediaStreamTrackProcessor: new (options: {
    readonly track: MediaStreamTrack
    readonly maxBufferSize: number
  }) => { readonly readable: ReadableStream<AudioData> }
  endRecording?: () => Promise<Recorded>
}

/** Resolves when the first sample has arrived, silent or not. */
export async function listenTo(person: Person, name: string): Promise<{ stop(): Promise<ReceivedAudio> }> {
  await until(`${person.name} gets samples of ${name}`, () => person.page.evaluate(beginRecording, name), 20_000)
  return {
    async stop() {
      const { sampleRate, base64, chunks } = await person.page.evaluate(endRecording)
      const bytes = Buffer.from(base64, 'base64')
      const samples = Float32Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readInt16LE(index * 2) / 32_768)
      const offset = Math.min(...chunks.map(({ soundMs, seenAt }) => seenAt - soundMs))
      return { sampleRate, samples, playedAt: (index) => (chunks.findLast(({ first }) => first <= index)?.soundMs ?? 0) + offset }
    },
  }
}

/** From the first to the last moment of the tone, in steps of ten milliseconds. */
export function spanOf({ samples, sampleRate, playedAt }: ReceivedAudio, hertz: number) {
  const step = sampleRate / 100
  const sounds = stepsOf(samples, step).map((part) => amplitudeAt(part, hertz, sampleRate) > 0.08)
  const [from, to] = [sounds.indexOf(true), sounds.lastIndexOf(true)]
  const gaps = from < 0 ? [] : sounds.slice(from, to).map((_, index) => sounds.indexOf(true, from + index) - from - index)
  return {
    from: from / 100,
    to: (to + 1) / 100,
    seconds: from < 0 ? 0 : (to + 1 - from) / 100,
    longestGapMs: Math.max(0, ...gaps) * 10,
    firstAt: playedAt(from * step),
    lastAt: playedAt(to * step),
  }
}

function amplitudeAt(samples: Float32Array, hertz: number, sampleRate: number): number {
  let [real, imaginary] = [0, 0]
  for (const [index, sample] of samples.entries()) {
    const angle = (2 * Math.PI * hertz * index) / sampleRate
    real += sample * Math.cos(angle)
    imaginary += sample * Math.sin(angle)
  }
  return (2 * Math.hypot(real, imaginary)) / samples.length
}

/** Runs in the person's page. False if the voice is not there yet. */
async function beginRecording(name: string): Promise<boolean> {
  const page = globalThis as unknown as ListeningPage
  const { people, tracks } = page.emissaryRoom
  const track = tracks.find((it) => it.kind === 'microphone' && people.some(({ id, name: whose }) => id === it.person && whose === name))
  if (!track) return false
  const voice = track.track.clone()
  const reader = new page.MediaStreamTrackProcessor({ track: voice, maxBufferSize: 1_000 }).readable.getReader()
  const kept: Float32Array<ArrayBuffer>[] = []
  const chunks: Chunk[] = []
  let [length, sampleRate] = [0, 0]

  async function keepOne(): Promise<boolean> {
    const { value } = await reader.read()
    if (!value) return false
    const samples = new Float32Array(value.numberOfFrames)
    value.copyTo(samples, { planeIndex: 0, format: 'f32-planar' })
    chunks.push({ first: length, soundMs: value.timestamp / 1000, seenAt: Date.now() })
    kept.push(samples)
    length += samples.length
    sampleRate = value.sampleRate
    value.close()
    return true
  }

  await keepOne()
  const over = (async () => {
    while (await keepOne());
  })()
  page.endRecording = async () => {
    await reader.cancel()
    await over
    voice.stop()
    const pcm = Int16Array.from(kept.flatMap((part) => [...part.map((it) => Math.max(-1, Math.min(1, it)) * 32_767)]))
    const base64 = await new Promise<string>((resolve) => {
      const file = new FileReader()
      file.onload = () => resolve(String(file.result).split(',')[1] ?? '')
      file.readAsDataURL(new Blob([pcm]))
    })
    return { sampleRate, base64, chunks }
  }
  return true
}

/** Runs in the person's page. */
async function endRecording(): Promise<Recorded> {
  const { endRecording: end } = globalThis as unknown as ListeningPage
  if (!end) throw new Error('nothing is being recorded')
  return end()
}
