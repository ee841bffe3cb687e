// The words in which ffmpeg is told how to lay videos and names over a backdrop.
import { centreOf, TILE_HEX } from './backdrop.ts'
import type { Tile } from './layout.ts'

export const FRAMES_PER_SECOND = 25

/** A text in a file of its own, because a name may hold anything; null where there is no font. */
export type Lettering = { readonly textFile: string; readonly fontFile: string }

export type TileInput = {
  readonly tile: Tile
  readonly label: Lettering | null
  readonly initials: Lettering | null
  /** Numbers of ffmpeg's inputs, and the milliseconds by which each is moved and from which it is shown. */
  readonly clips: readonly { readonly input: number; readonly moveMs: number; readonly fromMs: number }[]
}

/**
 * Nothing that a page sends says how its colours are to be read, or it says so wrongly: browsers take cameras and canvases as BT.709 in
 * full range. Where a camera was in limited range after all, reading it so costs a little contrast; the other way round would cut off
 * everything dark and everything bright.
 */
const AS_SENT = 'in_color_matrix=bt709:in_range=pc'
const AS_MADE = 'out_color_matrix=bt709:out_range=tv'

/** Input 0 is the backdrop. The result is called `picture` and has exactly `frames` frames. */
export function graphOf(tiles: readonly TileInput[], frames: number): string {
  const still = [`scale=${AS_MADE}`, 'format=yuv420p', ...tiles.flatMap(cardWords)]
  const steady = ['loop=loop=-1:size=1', `setpts=N/${FRAMES_PER_SECOND}/TB`, `fps=${FRAMES_PER_SECOND}`, `trim=end_frame=${frames}`]
  const layers = tiles.flatMap((input) => input.clips.map((clip) => ({ ...input, clip })))
  const overlaid = layers.map(({ tile, label, clip }, index) => {
    const top = `[${clip.input}:v]${clipWords(tile, label, clip)}[clip${index}]`
    return `${top};[layer${index}][clip${index}]overlay=x=${tile.x}:y=${tile.y}:eof_action=repeat:format=yuv420[layer${index + 1}]`
  })
  return [`[0:v]${[...still, ...steady].join(',')}[layer0]`, ...overlaid, `[layer${layers.length}]null[picture]`].join(';')
}

/** What no video covers: initials, and the name of whoever has none. */
function cardWords({ tile, label, initials, clips }: TileInput): readonly string[] {
  const { x, y, radius } = centreOf(tile)
  const letters = initials ? [`${lettered(initials, radius * 0.8)}:x=${x}-tw/2:y=${y}-th/2`] : []
  const name = label && clips.length === 0 ? [labelWords(label, tile, { left: tile.x, bottom: tile.y + tile.height })] : []
  return [...(tile.shows === 'card' ? letters : []), ...name]
}

function clipWords(tile: Tile, label: Lettering | null, { moveMs, fromMs }: TileInput['clips'][number]): string {
  const { width, height } = tile
  const size = `${width}:${height}:force_original_aspect_ratio=decrease:force_divisible_by=2`
  return [
    `setpts=PTS+(${moveMs}/1000)/TB`,
    // Frames that are only decoded because others hang on them are not worth scaling.
    `trim=start=${(fromMs - 0.5) / 1000}`,
    `scale=${size}:flags=bilinear:${AS_SENT}:${AS_MADE}`,
    'format=yuv420p',
    `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:${TILE_HEX}`,
    ...(label ? [labelWords(label, tile, { left: 0, bottom: height })] : []),
  ].join(',')
}

export function labelPixels({ height }: Tile): number {
  return Math.max(12, Math.min(24, Math.round(height / 15)))
}

function labelWords(label: Lettering, tile: Tile, { left, bottom }: { readonly left: number; readonly bottom: number }): string {
  const size = labelPixels(tile)
  const inset = Math.round(size * 0.9)
  const box = `box=1:boxcolor=black@0.5:boxborderw=${Math.round(size * 0.4)}`
  return `${lettered(label, size)}:${box}:x=${left + inset}:y=${bottom - inset}-th`
}

function lettered({ textFile, fontFile }: Lettering, pixels: number): string {
  const files = `fontfile=${escaped(fontFile)}:textfile=${escaped(textFile)}`
  return `drawtext=${files}:expansion=none:fontcolor=white:fontsize=${Math.round(pixels)}`
}

/** Once for the value among options, once more for the filter among filters. */
function escaped(value: string): string {
  return value.replace(/[\\':]/g, '\\$&').replace(/[\\'[\],;]/g, '\\$&')
}
