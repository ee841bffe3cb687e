// Converts the mixed audio to MP3, WAV or Ogg.
import path from 'node:path'
import { type FfmpegOptions, ffmpeg, limitFor, probe } from '../ffmpeg.ts'
import { cacheKey, type MediaFile, makeOnce } from '../file-cache.ts'
import { MIXED } from './mixed-audio.ts'

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

/** Writes the file beside the original, under the same name. */
export async function convertAudio(ffmpegOptions: FfmpegOptions, audio: Original, format: AudioFormat): Promise<MediaFile> {
  const { contentType, codec, args } = TARGETS[format]
  const { dir, name } = path.parse(audio.file)
  const place = { folder: dir, name: `${name}.${format}`, key: cacheKey(VERSION, audio.bytes, audio.durationMs, args) }
  return makeOnce(place, async (temporary) => {
    await ffmpeg(ffmpegOptions, { args: ['-i', audio.file, ...args, temporary], limitMs: limitFor(audio.durationMs) })
    const { durationMs } = await probe(ffmpegOptions, temporary)
    return { ...MIXED, contentType, codec, durationMs }
  })
}
