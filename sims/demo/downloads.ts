// Downloads what the bot delivered through the API, and lists it by person.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Captured = {
  readonly participants: readonly { readonly name: string; readonly audio_seconds: number; readonly video_seconds: number }[]
  /** The absolute path of each file, by its description. */
  readonly files: Readonly<Record<string, string>>
  readonly bytes: number
}

type Segment = { readonly url: string; readonly filename: string; readonly duration_seconds: number }
type Person = { readonly participant_name: string; readonly streams: readonly { readonly segments: readonly Segment[] }[] }
type Streams = { readonly participants: readonly Person[]; readonly screenshares?: readonly Person[] }
/** Answers of the API about the bot. */
export type Reads = {
  readonly audio: { readonly audio_url: string }
  readonly video: { readonly video_url: string }
  readonly audioStreams: Streams
  readonly videoStreams: Streams
}

export async function fetchCaptured(folder: string, { audio, video, audioStreams, videoStreams }: Reads): Promise<Captured> {
  await mkdir(folder, { recursive: true })
  const files: Record<string, string> = {}
  let bytes = 0
  const fetchTo = async (what: string, url: string, name: string): Promise<void> => {
    const body = Buffer.from(await (await fetch(url)).arrayBuffer())
    bytes += body.length
    files[what] = join(folder, name)
    await writeFile(join(folder, name), body)
  }
  await fetchTo('audio', audio.audio_url, 'meeting.m4a')
  await fetchTo('video', video.video_url, 'meeting.mp4')
  const kinds = { audio: audioStreams.participants, video: videoStreams.participants, screen: videoStreams.screenshares ?? [] }
  for (const [kind, people] of Object.entries(kinds)) {
    for (const { participant_name: name, streams } of people) {
      const segments = streams.flatMap((stream) => stream.segments)
      for (const [index, { url, filename }] of segments.entries())
        await fetchTo(segments.length > 1 ? `${name} ${kind} ${index + 1}` : `${name} ${kind}`, url, filename)
    }
  }
  const names = [...new Set([...audioStreams.participants, ...videoStreams.participants].map((it) => it.participant_name))]
  const participants = names.map((name) => ({
    name,
    audio_seconds: secondsOf(audioStreams.participants, name),
    video_seconds: secondsOf(videoStreams.participants, name),
  }))
  return { participants, files, bytes }
}

function secondsOf(people: readonly Person[], name: string): number {
  const segments = people.filter((it) => it.participant_name === name).flatMap((it) => it.streams.flatMap((stream) => stream.segments))
  return Math.round(segments.reduce((sum, { duration_seconds }) => sum + duration_seconds, 0) * 10) / 10
}
