// Generated images and clips with known colours and tones.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** The output of ffmpeg, through a file because some formats need to seek. */
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

export const stillImage = (extension: 'png' | 'jpg' | 'webp', colour: string, size = '640x360') =>
  made(extension, '-i', `color=c=0x${colour.slice(1)}:s=${size}`, '-frames:v', '1')

/** Two colours in turn, half a second each, in a loop. */
export const blinking = (extension: 'gif' | 'webp', first: string, second: string) =>
  made(
    extension,
    '-i',
    `color=c=0x${first.slice(1)}:s=320x180:d=2:r=2,drawbox=c=0x${second.slice(1)}:t=fill:enable='mod(n,2)'`,
    ...(extension === 'webp' ? ['-c:v', 'libwebp_anim'] : []),
    '-loop',
    '0',
  )

/** Half of full scale, so that nothing clips. */
export const tone = (extension: 'wav' | 'mp3' | 'ogg' | 'm4a', hertz: number, seconds: number) =>
  made(extension, '-i', `aevalsrc=0.3*sin(2*PI*${hertz}*t):d=${seconds}:s=48000`)

/** A tone as raw s16le samples, the same in both channels. */
export function toneSamples(hertz: number, seconds: number, { sampleRate, channels }: { sampleRate: number; channels: number }): Buffer {
  const frames = Math.round(seconds * sampleRate)
  const pcm = Buffer.alloc(frames * channels * 2)
  for (let frame = 0; frame < frames; frame++) {
    const value = Math.round(0.3 * 32_767 * Math.sin((2 * Math.PI * hertz * frame) / sampleRate))
    for (let channel = 0; channel < channels; channel++) pcm.writeInt16LE(value, (frame * channels + channel) * 2)
  }
  return pcm
}
