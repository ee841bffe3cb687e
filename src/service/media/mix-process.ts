// A program of its own: an order on the standard input, mixed audio into a file, the seconds that were heard on the standard output.
import { text } from 'node:stream/consumers'
import { ffmpeg } from './ffmpeg.ts'
import { type Heard, type MixOrder, mixed } from './mixer.ts'

export type MixProcessOrder = MixOrder & { readonly temporary: string; readonly threads: number; readonly limitMs: number }

/** Loud voices on top of each other are turned down for as long as they are, 5 ms ahead, and everything else is left alone. */
const LIMITER = 'alimiter=limit=0.89:attack=5:release=80:level=0:latency=1'
const SOUND = ['-f', 'f32le', '-ar', '48000', '-ac', '1']
/** Meetings are voices: one channel at 96 kbit/s is beyond what any of them was sent with. */
const AAC = ['-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart', '-f', 'mp4']

const order = JSON.parse(await text(process.stdin)) as MixProcessOrder
const heard: Heard = { ms: 0 }
const args = [...SOUND, '-i', 'pipe:0', '-af', LIMITER, ...AAC, order.temporary]
await ffmpeg({ threads: order.threads }, { args, limitMs: order.limitMs, input: mixed(order, heard) })
process.stdout.write(String(heard.ms / 1000))
