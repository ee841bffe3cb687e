// Builds the ffmpeg filter graph that places videos and names on a backdrop. Pixels are copied and never blended.
import { centreOf, DRAWN } from './backdrop.ts'
import type { Tile } from './layout.ts'
import { type FrameSpan, type Length, withoutRepeats } from './repeated-frames.ts'
import { type Box, LINE, PICTURE } from './tiles.ts'

/** The text is in a file, because a name may contain any character. */
export type DrawnText = { readonly textFile: string; readonly fontFile: string }

export type TileInput = {
  readonly tile: Tile
  readonly label: DrawnText | null
  readonly initials: DrawnText | null
  readonly clips: readonly TileClip[]
}

/**
 * `input` is the number of an ffmpeg input. It is shifted by `moveMs`, and shown from `fromMs` until the next clip of the tile.
 * `size` is that of all its frames; null: it may change.
 */
type TileClip = { readonly input: number; readonly moveMs: number; readonly fromMs: number; readonly size: Size | null }
type Size = Pick<Box, 'width' | 'height'>

/** The smallest box of a 4:2:0 picture, in its last corner. It gives a stack of tiles the size of the picture. */
const CORNER: Box = { x: PICTURE.width - 2, y: PICTURE.height - 2, width: 2, height: 2 }

/**
 * Colour metadata from a page is missing or wrong: browsers encode cameras and canvases as BT.709 in full range. The composed video has
 * the same colours, so no pixel is converted: a conversion costs as much as scaling. Reading a limited-range camera as full range costs
 * a little contrast. The opposite mistake would clip everything dark and everything bright.
 */
const AS_SENT = 'setparams=range=pc:colorspace=bt709'
const UNCONVERTED = 'in_range=pc:out_range=pc'

/** `upload`: filters that hand the picture to the encoder. */
type Ending = Length & { readonly repeats: readonly FrameSpan[]; readonly upload: readonly string[] }

/** Input 0 is the backdrop. The output is labelled `picture` and has `frames` frames, of which the repeated ones are left out. */
export function filterGraph(tiles: readonly TileInput[], { frames, fps, repeats, upload }: Ending): string {
  // Shown at the beginning, and once more after the end, so that a tile whose clips have no frame lasts as long as the others.
  const twice = ['loop=loop=1:size=1', `setpts=N*${frames}/${fps}/TB`]
  const backdrop = ['scale=out_color_matrix=bt709:out_range=pc', 'format=yuv420p', ...tiles.flatMap(cardFilters), ...twice].join()
  const constant = [`fps=${fps}:start_time=0`, `trim=end_frame=${frames}`, ...withoutRepeats(repeats, fps)]
  const [first] = tiles
  if (!first) return `[0:v]${[backdrop, ...constant, ...upload].join()}[picture]`
  // Without a stack, because one tile covers the whole picture.
  if (tiles.length === 1)
    return [`[0:v]${backdrop}[part0]`, ...tileFilters(first, 0, fps), `[tile0]${[...constant, ...upload].join()}[picture]`].join(';')
  const boxes = [...tiles.map(({ tile }) => tile), CORNER]
  const stack = `xstack=inputs=${boxes.length}:layout=${boxes.map(({ x, y }) => `${x}_${y}`).join('|')}:fill=${DRAWN.ground}`
  const names = tiles.flatMap(nameOnVideo)
  // A filter that draws copies its picture, except for a new one of the stack. But most repeated pictures are left out before the copy.
  const ending = repeats.length === 0 ? [stack, ...names, ...constant] : [stack, ...constant, ...names]
  return [
    `[0:v]${backdrop},split=${boxes.length}${boxes.map((_, index) => `[part${index}]`).join('')}`,
    ...tiles.flatMap((input, index) => tileFilters({ ...input, label: null }, index, fps)),
    `[part${tiles.length}]${crop(CORNER)}[tile${tiles.length}]`,
    `${boxes.map((_, index) => `[tile${index}]`).join('')}${[...ending, ...upload].join()}[picture]`,
  ].join(';')
}

/** From `part` to `tile`: the tile's box of the backdrop, followed by the frames of its clips in the order of their times. */
function tileFilters({ tile, label, clips }: TileInput, index: number, fps: number): readonly string[] {
  if (clips.length === 0) return [`[part${index}]${crop(tile)}[tile${index}]`]
  const shown = clips.map((clip, number) => {
    const untilMs = clips[number + 1]?.fromMs ?? null
    return `[${clip.input}:v]${clipFilters(tile, label, { ...clip, untilMs })}[clip${clip.input}]`
  })
  const inputs = [`[empty${index}]`, ...clips.map(({ input }) => `[clip${input}]`)]
  return [
    `[part${index}]${crop(tile)}[empty${index}]`,
    ...shown,
    `${inputs.join('')}interleave=nb_inputs=${inputs.length},fps=${fps}:start_time=0[tile${index}]`,
  ]
}

function crop({ x, y, width, height }: Box): string {
  return `crop=${width}:${height}:${x}:${y},setsar=1`
}

/** Drawn on the backdrop: initials, and the name where no video covers it. */
function cardFilters({ tile, label, initials, clips }: TileInput): readonly string[] {
  const { x, y, radius } = centreOf(tile)
  const letters = initials ? [`${drawText(initials, radius * 0.8)}:x=${x}-tw/2:y=${y}-th/2`] : []
  return [...(tile.shows === 'card' ? letters : []), ...(label && clips.length === 0 ? [nameInPicture(label, tile)] : [])]
}

const nameOnVideo = ({ tile, label, clips }: TileInput): readonly string[] =>
  label && clips.length > 0 ? [nameInPicture(label, tile)] : []

const nameInPicture = (label: DrawnText, tile: Tile): string => labelFilter(label, tile, { left: tile.x, bottom: tile.y + tile.height })

type ShownClip = TileClip & { readonly untilMs: number | null }

function clipFilters(tile: Tile, label: DrawnText | null, { moveMs, fromMs, untilMs, size }: ShownClip): string {
  const { width, height } = tile
  const scale = (shape: string) => `scale=${width}:${height}${shape}:flags=bilinear:${UNCONVERTED}`
  const pad = `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:${DRAWN.tile}`
  return [
    `setpts=PTS+(${moveMs}/1000)/TB`,
    // Frames that are decoded only as references are dropped before scaling.
    `trim=start=${(fromMs - 0.5) / 1000}${untilMs === null ? '' : `:end=${(untilMs - 0.5) / 1000}`}`,
    // The tile of the backdrop is at 0, and the clip replaces it.
    "setpts='max(PTS,0.001/TB)'",
    AS_SENT,
    cropLine(tile),
    // The scale does nothing if the clip has the size of its tile. A pad would copy every frame.
    ...(size && fits(tile, size)
      ? [scale(''), 'format=yuv420p']
      : [scale(':force_original_aspect_ratio=decrease:force_divisible_by=2'), 'format=yuv420p', pad]),
    'setsar=1',
    ...(label ? [labelFilter(label, tile, { left: 0, bottom: height })] : []),
  ].join(',')
}

const fits = (tile: Tile, { width, height }: Size): boolean => isNear(width - tile.width) && isNear(height - tile.height)
const isNear = (more: number): boolean => more >= 0 && more <= LINE

/** A clip that is larger than its tile only by the line between tiles loses its last pixels there. Everything else is scaled. */
function cropLine({ width, height }: Tile): string {
  const isSlightlyLarger = `between(iw-${width},0,${LINE})*between(ih-${height},0,${LINE})`
  return `crop=w='if(${isSlightlyLarger},${width},iw)':h='if(${isSlightlyLarger},${height},ih)':x=0:y=0:exact=1`
}

export function labelPixels({ height }: Tile): number {
  return Math.max(12, Math.min(24, Math.round(height / 15)))
}

function labelFilter(label: DrawnText, tile: Tile, { left, bottom }: { readonly left: number; readonly bottom: number }): string {
  const size = labelPixels(tile)
  const inset = Math.round(size * 0.9)
  const box = `box=1:boxcolor=black@0.5:boxborderw=${Math.round(size * 0.4)}`
  return `${drawText(label, size)}:${box}:x=${left + inset}:y=${bottom - inset}-th`
}

function drawText({ textFile, fontFile }: DrawnText, pixels: number): string {
  const files = `fontfile=${escaped(fontFile)}:textfile=${escaped(textFile)}`
  return `drawtext=${files}:expansion=none:fontcolor=white:fontsize=${Math.round(pixels)}`
}

/** ffmpeg unescapes twice: once as an option value, once as part of the filter graph. */
function escaped(value: string): string {
  return value.replace(/[\\':]/g, '\\$&').replace(/[\\'[\],;]/g, '\\$&')
}
