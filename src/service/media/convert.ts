// The mixed audio in other formats, made when somebody asks.
import path from 'node:path'
import { ffmpeg, limitFor, probe, type Workshop } from './ffmpeg.ts'
import { finished, keyOf, type MediaFile } from './finished.ts'

export const AUDIO_FORMATS = ['mp3', 'wav', 'ogg'] as const
export type AudioFormat = (typeof AUDIO_FORMATS)[number]

type Target = { readonly contentType: string; readonly codec: string; readonly args: readonly string[] }

const TARGETS: Readonly<Record<AudioFormat, Target>> = {
  mp3: { contentType: 'audio/mpeg', codec: 'mp3', args: ['-c:a', 'libmp3lame', '-q:a', '4', '-f', 'mp3'] },
  wav: { contentType: 'audio/wav', codec: 'pcm_s16le', args: ['-c:a', 'pcm_s16le', '-f', 'wav'] },
  ogg: { contentType: 'audio/ogg', codec: 'opus', args: ['-c:a', 'libopus', '-b:a', '64k', '-f', 'ogg'] },
}
const VERSION = 1

type Original = Pick<MediaFile, 'file' | 'durationMs' | 'bytes'>

/** Beside the original, under its name. */
export async function convertAudio(workshop: Workshop, audio: Original, format: AudioFormat): Promise<MediaFile> {
  const { contentType, codec, args } = TARGETS[format]
  const { dir, name } = path.parse(audio.file)
  const place = { folder: dir, name: `${name}.${format}`, key: keyOf(VERSION, audio.bytes, audio.durationMs, args) }
  return finished(place, async (temporary) => {
    await ffmpeg(workshop, { args: ['-i', audio.file, ...args, temporary], limitMs: limitFor(audio.durationMs) })
    const { durationMs } = await probe(workshop, temporary)
    return { contentType, codec, startMs: 0, durationMs, width: null, height: null, fps: null, sampleRate: 48_000, channels: 1 }
  })
}
