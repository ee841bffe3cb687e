// The colours, tones and structure of a finished file.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { readMatroska } from '../../../src/kit/matroska/reader.ts'
import { sound } from './recorded-media.ts'

const LOOK_MS = 40

export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
export type Rgb = readonly [number, number, number]

/** A quarter of the width and height is enough to compare colours. */
const SMALL = { width: 320, height: 180, by: 4 } as const
const looked = new Map<string, Buffer>()

/** The mean colour within a box of a 1280 x 720 frame, every 40 ms. A file is decoded once. */
export function coloursAt(file: string, box: Box): readonly Rgb[] {
  const pixels = looked.get(file) ?? decode(file)
  looked.set(file, pixels)
  const bytes = SMALL.width * SMALL.height * 3
  return Array.from({ length: pixels.length / bytes }, (_, index) => meanOf(pixels.subarray(index * bytes, (index + 1) * bytes), box))
}

/** One of the colours that `coloursAt` returns. */
export function frameAt(colours: readonly Rgb[], ms: number): Rgb | undefined {
  return colours[Math.round(ms / LOOK_MS)]
}

/** The same at one time, for a long file. */
export function colourAt(file: string, seconds: number, box: Box): Rgb {
  return meanOf(decode(file, ['-ss', String(seconds), '-t', '0.04']), box)
}

function decode(file: string, part: readonly string[] = []): Buffer {
  const filter = `fps=25:start_time=0,scale=${SMALL.width}:${SMALL.height}:flags=area,format=rgb24`
  return run('ffmpeg', ['-v', 'error', ...part, '-i', file, '-vf', filter, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'])
}

function meanOf(picture: Buffer, { x, y, width, height }: Box): Rgb {
  const sum: [number, number, number] = [0, 0, 0]
  const [left, top] = [Math.floor(x / SMALL.by), Math.floor(y / SMALL.by)]
  const [columns, lines] = [Math.max(1, Math.floor(width / SMALL.by)), Math.max(1, Math.floor(height / SMALL.by))]
  for (let line = top; line < top + lines; line++) {
    for (let column = left; column < left + columns; column++) {
      const at = (line * SMALL.width + column) * 3
      for (const part of [0, 1, 2] as const) sum[part] += picture[at + part] ?? 0
    }
  }
  const count = columns * lines
  return [sum[0] / count, sum[1] / count, sum[2] / count]
}

/** A small box in the middle of a tile, away from its name. */
export function middleOf({ x, y, width, height }: Box): Box {
  return { x: x + Math.floor(width / 4) * 2 - 4, y: y + Math.floor(height / 8) * 2, width: 8, height: 8 }
}

/** The middle of the tile with this index, or of the top left corner if there is none. */
export function middleOfTile(tiles: readonly Box[], index: number): Box {
  return middleOf(tiles[index] ?? { x: 0, y: 0, width: 16, height: 16 })
}

export function isNear(rgb: Rgb | undefined, colour: readonly number[], most = 30): boolean {
  return rgb?.every((value, index) => Math.abs(value - (colour[index] ?? 0)) < most) ?? false
}

/** When the tone reaches half of this loudness. A shorter window would mistake the edge of another tone for it. */
export function onsetMs(file: string, toneHz: number, amplitude: number): number | null {
  const only = `${file}.only.m4a`
  run('ffmpeg', ['-v', 'error', '-y', '-i', file, '-map', '0:a', '-c:a', 'aac', '-f', 'mp4', only])
  const found = sound(only)
  rmSync(only)
  for (let ms = 0; ms + LOOK_MS < found.lengthMs; ms += 5) if (found.at(toneHz, ms, ms + LOOK_MS) > amplitude / 2) return ms + LOOK_MS / 2
  return null
}

export type Probe = {
  readonly format: { readonly duration: string }
  readonly streams: readonly {
    readonly codec_name: string
    readonly duration?: string
    readonly start_time?: string
    readonly r_frame_rate?: string
    readonly sample_rate?: string
  }[]
}

export function probeFile(file: string): Probe {
  return JSON.parse(String(run('ffprobe', ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', file]))) as Probe
}

/** The packets of the video, with the time at which each is shown. */
export function packetsIn(file: string): readonly { readonly atMs: number; readonly data: Buffer }[] {
  const copy = run('ffmpeg', ['-v', 'error', '-i', file, '-map', '0:v', '-c', 'copy', '-f', 'matroska', '-'])
  return (readMatroska(copy)?.packets ?? []).map(({ atMs, data }) => ({ atMs, data: Buffer.from(data) }))
}

/** The names of the MP4 boxes, in order. */
export function boxesOf(file: string): readonly string[] {
  const handle = openSync(file, 'r')
  const names: string[] = []
  const head = Buffer.alloc(8)
  for (let at = 0; at < statSync(file).size; at += Math.max(8, head.readUInt32BE(0))) {
    readSync(handle, head, 0, 8, at)
    names.push(head.toString('latin1', 4))
  }
  closeSync(handle)
  return names
}

/** Full scale is 1. */
export function peakOf(file: string): number {
  const bytes = run('ffmpeg', ['-v', 'error', '-i', file, '-f', 'f32le', '-'])
  const samples = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
  return samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)
}

function run(program: string, args: readonly string[]): Buffer {
  const { status, stdout, stderr } = spawnSync(program, args, { maxBuffer: 512 * 1024 * 1024 })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
  return stdout
}
