// Paints the background of a scene: a tile for each participant, with a coloured disc where the camera is off.
import { createHash } from 'node:crypto'
import type { Scene, Tile } from './layout.ts'
import { type Box, PICTURE } from './tiles.ts'

type Colour = readonly [number, number, number]

const BLACK: Colour = [0, 0, 0]
const GROUND: Colour = [15, 17, 21]
const TILE: Colour = [32, 36, 44]
/** The same two for filters that draw: ffmpeg draws in limited range, and the picture is in full range. */
export const DRAWN = { ground: '0x000106', tile: '0x131721' } as const
/** Distinct on the dark tile, with enough contrast for white letters. */
const DISCS: readonly Colour[] = [
  [64, 98, 187],
  [43, 127, 110],
  [156, 84, 58],
  [122, 76, 158],
  [164, 62, 96],
  [92, 112, 46],
  [50, 118, 148],
  [134, 96, 40],
]
const DISC_SHARE = 0.23

/** Raw RGB24 pixels. */
export function paintBackdrop({ dark, tiles }: Pick<Scene, 'dark' | 'tiles'>): Buffer {
  const pixels = Buffer.alloc(PICTURE.width * PICTURE.height * 3)
  fill(pixels, { x: 0, y: 0, ...PICTURE }, dark ? BLACK : GROUND)
  for (const tile of tiles) {
    fill(pixels, tile, TILE)
    if (tile.shows === 'card') disc(pixels, tile)
  }
  return pixels
}

export function centreOf({ x, y, width, height }: Box): { readonly x: number; readonly y: number; readonly radius: number } {
  return { x: x + width / 2, y: y + height / 2, radius: Math.min(width, height) * DISC_SHARE }
}

function fill(pixels: Buffer, { x, y, width, height }: Box, [red, green, blue]: Colour): void {
  const row = Buffer.alloc(width * 3)
  for (let at = 0; at < row.length; at += 3) row.set([red, green, blue], at)
  for (let line = y; line < y + height; line++) pixels.set(row, (line * PICTURE.width + x) * 3)
}

function disc(pixels: Buffer, tile: Tile): void {
  const { x, y, radius } = centreOf(tile)
  const colour = colourOf(tile.participantId)
  for (let line = Math.floor(y - radius); line <= y + radius; line++) {
    for (let column = Math.floor(x - radius); column <= x + radius; column++) {
      // Anti-aliasing: the share of the pixel that lies inside the disc.
      const share = Math.min(1, Math.max(0, radius - Math.hypot(column + 0.5 - x, line + 0.5 - y) + 0.5))
      if (share > 0) blend(pixels, (line * PICTURE.width + column) * 3, colour, share)
    }
  }
}

function blend(pixels: Buffer, at: number, colour: Colour, share: number): void {
  colour.forEach((value, part) => {
    const before = pixels[at + part] ?? 0
    pixels[at + part] = Math.round(before + (value - before) * share)
  })
}

/** A hash of the id, so that a participant keeps the same colour. */
function colourOf(id: string): Colour {
  const [first = 0] = createHash('sha256').update(id).digest()
  return DISCS[first % DISCS.length] ?? TILE
}
