// Child process that mixes audio: reads its order from stdin, writes the file, and prints the audible seconds to stdout.
import { text } from 'node:stream/consumers'
import { ffmpeg } from '../ffmpeg.ts'
import { type AudibleTime, type MixOrder, mixTracks } from './mixer.ts'

export type MixProcessOrder = MixOrder & { readonly temporary: string; readonly limitMs: number }

/** Prevents clipping where loud voices overlap, with 5 ms of look-ahead. Quieter audio is unchanged. */
const LIMITER = 'alimiter=limit=0.89:attack=5:release=80:level=0:latency=1'
const PCM_INPUT = ['-f', 'f32le', '-ar', '48000', '-ac', '1']
/** Mono at 96 kbit/s exceeds the bitrate at which platforms send voices. The coder `fast` takes half of the time and distorts loud tones. */
const AAC = ['-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart', '-f', 'mp4']

const order = JSON.parse(await text(process.stdin)) as MixProcessOrder
const audible: AudibleTime = { ms: 0 }
const args = [...PCM_INPUT, '-i', 'pipe:0', '-af', LIMITER, ...AAC, order.temporary]
// Niceness adds up, and this process has its own.
await ffmpeg({}, { args, limitMs: order.limitMs, nice: 0, input: mixTracks(order, audible) })
process.stdout.write(String(audible.ms / 1000))
