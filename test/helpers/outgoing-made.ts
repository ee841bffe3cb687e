// Pictures and clips made on the spot, and what is to be seen and heard of them.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** What ffmpeg writes, read back from a file because some formats must be able to go back in it. */
function made(extension: string, ...args: readonly string[]): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), 'emissary-made-'))
  const file = path.join(folder, `made.${extension}`)
  try {
    const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', ...args, file])
    if (status !== 0) throw new Error(`ffmpeg: ${stderr}`)
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const still = (extension: 'png' | 'jpg' | 'webp', colour: string, size = '640x360') =>
  made(extension, '-i', `color=c=0x${colour.slice(1)}:s=${size}`, '-frames:v', '1')

/** Two colours in turn, half a second each, without end. */
export const blinking = (extension: 'gif' | 'webp', first: string, second: string) =>
  made(
    extension,
    '-i',
    `color=c=0x${first.slice(1)}:s=320x180:d=2:r=2,drawbox=c=0x${second.slice(1)}:t=fill:enable='mod(n,2)'`,
    ...(extension === 'webp' ? ['-c:v', 'libwebp_anim'] : []),
    '-loop',
    '0',
  )

/** Half as loud as can be, so that nothing is cut off on its way. */
export const tone = (extension: 'wav' | 'mp3' | 'ogg' | 'm4a', hertz: number, seconds: number) =>
  made(extension, '-i', `aevalsrc=0.3*sin(2*PI*${hertz}*t):d=${seconds}:s=48000`)

/** A tone as raw samples, s16le; both channels alike where there are two. */
export function toneSamples(hertz: number, seconds: number, { sampleRate, channels }: { sampleRate: number; channels: number }): Buffer {
  const frames = Math.round(seconds * sampleRate)
  const pcm = Buffer.alloc(frames * channels * 2)
  for (let frame = 0; frame < frames; frame++) {
    const value = Math.round(0.3 * 32_767 * Math.sin((2 * Math.PI * hertz * frame) / sampleRate))
    for (let channel = 0; channel < channels; channel++) pcm.writeInt16LE(value, (frame * channels + channel) * 2)
  }
  return pcm
}
