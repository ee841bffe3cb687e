// Positions of the tiles in a 1280 x 720 picture: a grid, or a large shared screen with a strip of participants beside it.

export const PICTURE = { width: 1280, height: 720 } as const
export const MOST_TILES = 25
/** Between tiles of a grid. Four tiles are then as large as cameras of 640 x 360 but for this line, so they are cropped and not scaled. */
export const LINE = 2
const GAP = 8
const STRIP_WIDTH = 232
const MOST_IN_STRIP = 5

export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

/** The grid with the largest tiles. An incomplete last row is centred. */
export function gridOf(count: number): readonly Box[] {
  if (count <= 0) return []
  if (count === 1) return [{ x: 0, y: 0, ...PICTURE }]
  const { columns, width, height } = bestGrid(count)
  const rows = Math.ceil(count / columns)
  const top = (PICTURE.height - rows * height - (rows - 1) * LINE) / 2
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns)
    const inRow = Math.min(columns, count - row * columns)
    const left = (PICTURE.width - inRow * width - (inRow - 1) * LINE) / 2
    return { x: even(left + (index % columns) * (width + LINE)), y: even(top + row * (height + LINE)), width, height }
  })
}

/** The box of the screen, followed by the boxes of the strip. */
export function besideScreen(faces: number): readonly Box[] {
  const shown = Math.min(faces, MOST_IN_STRIP)
  if (shown === 0) return [{ x: 0, y: 0, ...PICTURE }]
  const height = even((STRIP_WIDTH * 9) / 16)
  const left = PICTURE.width - STRIP_WIDTH - GAP
  const top = (PICTURE.height - shown * height - (shown - 1) * GAP) / 2
  const strip = Array.from({ length: shown }, (_, index) => ({
    x: left,
    y: even(top + index * (height + GAP)),
    width: STRIP_WIDTH,
    height,
  }))
  return [{ x: GAP, y: GAP, width: left - 2 * GAP, height: PICTURE.height - 2 * GAP }, ...strip]
}

function bestGrid(count: number): { readonly columns: number; readonly width: number; readonly height: number } {
  const grids = Array.from({ length: count }, (_, index) => {
    const columns = index + 1
    const rows = Math.ceil(count / columns)
    const widest = (PICTURE.width - (columns - 1) * LINE) / columns
    const highest = (PICTURE.height - (rows - 1) * LINE) / rows
    const width = even(Math.min(widest, (highest * 16) / 9))
    return { columns, width, height: even((width * 9) / 16) }
  })
  return grids.reduce((best, grid) => (grid.width > best.width ? grid : best))
}

/** 4:2:0 chroma subsampling needs even positions and sizes. */
function even(value: number): number {
  return Math.floor(value / 2) * 2
}
