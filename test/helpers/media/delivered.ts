// The files that a bot delivered, downloaded through the links of the API, by person.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { PlatformStage } from '../meetings/platform-stage.ts'
import type { TestService } from '../service/service.ts'
import { type Picture, pictures, type Sound, sound } from './recorded-media.ts'

export type Stream = {
  readonly name: string
  readonly kind: 'audio' | 'camera' | 'screen'
  readonly file: string
  /** Milliseconds after the start of the recording. */
  readonly startMs: number
  readonly endMs: number
}

export type Delivery = {
  readonly audio: string
  /** Empty: the bot records no video. */
  readonly video: string
  readonly streams: readonly Stream[]
  of(name: string, kind: Stream['kind']): readonly Stream[]
  discard(): Promise<void>
}

type Segment = { readonly url: string; readonly filename: string; readonly start_offset: number; readonly duration_seconds: number }
type People = readonly { readonly participant_name: string; readonly streams: readonly { readonly segments: readonly Segment[] }[] }[]

export async function fetchDelivery({ api }: Pick<TestService, 'api'>, botId: string, { hasVideo = true } = {}): Promise<Delivery> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-delivered-'))
  const read = async (what: string) => {
    const { status, body } = await api('GET', `/api/v1/bots/${botId}/${what}`)
    if (status !== 200) throw new Error(`${what} answered ${status}: ${JSON.stringify(body)}`)
    return body
  }
  const download = async (url: string, name: string): Promise<string> => {
    const file = join(folder, name)
    await writeFile(file, Buffer.from(await (await fetch(url)).arrayBuffer()))
    return file
  }
  const streamsOf = (people: People, kind: Stream['kind']) =>
    people.flatMap(({ participant_name: name, streams }) =>
      streams.flatMap(({ segments }) =>
        segments.map(async ({ url, filename, start_offset, duration_seconds }) => {
          const startMs = start_offset * 1000
          return { name, kind, file: await download(url, filename), startMs, endMs: startMs + duration_seconds * 1000 }
        }),
      ),
    )
  const audioStreams = await read('get_audio_streams')
  const videoStreams = hasVideo ? await read('get_recording_streams') : { participants: [], screenshares: [] }
  const streams = await Promise.all([
    ...streamsOf(audioStreams.participants, 'audio'),
    ...streamsOf(videoStreams.participants, 'camera'),
    ...streamsOf(videoStreams.screenshares, 'screen'),
  ])
  return {
    audio: await download((await read('get_audio')).audio_url, 'audio.m4a'),
    video: hasVideo ? await download((await read('get_video')).video_url, 'video.mp4') : '',
    streams,
    of: (name, kind) => streams.filter((it) => it.name === name && it.kind === kind),
    discard: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Removes the bot and downloads its files. They are deleted after the test. */
export async function removeAndFetch(stage: PlatformStage, botId: string, doneWithinMs: number): Promise<Delivery> {
  await stage.remove(botId)
  await stage.has(botId, 'Done', doneWithinMs)
  const delivery = await fetchDelivery(stage.service, botId)
  onTestFinished(() => delivery.discard())
  return delivery
}

/** Every frame of these streams, at its time in the recording. */
export function picturesIn(streams: readonly Stream[]): readonly Picture[] {
  return streams.flatMap(({ file, startMs }) => pictures(file).map(({ atMs, rgb }) => ({ atMs: atMs + startMs, rgb })))
}

/** When a tone starts in any of these streams. */
export function toneStartMs(streams: readonly Stream[], toneHz: number): number | null {
  for (const { file, startMs } of streams) {
    const found: Sound = sound(file)
    const at = found.firstMs(toneHz)
    if (at !== null) return at + startMs
  }
  return null
}

/** Whether the tone sounds for a tenth of a second in any audio file of this person. */
export function isAudible(delivery: Delivery, name: string, toneHz: number): boolean {
  return delivery.of(name, 'audio').some(({ file }) => {
    const found = sound(file)
    const looks = Array.from({ length: Math.floor(found.lengthMs / 100) }, (_, at) => found.startMs + at * 100)
    return looks.some((at) => found.at(toneHz, at, at + 100) > 0.1)
  })
}
