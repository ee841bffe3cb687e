// One piece of the composed video: a stretch in which nobody moves, made once and found again when the step is repeated.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { paintBackdrop } from './backdrop.ts'
import { type Clip, segmentsFor, writeClips } from './clips.ts'
import { ffmpeg, limitFor, type Workshop } from './ffmpeg.ts'
import { finished, keyOf } from './finished.ts'
import { FRAMES_PER_SECOND, graphOf, type Lettering, labelPixels, type TileInput } from './graph.ts'
import type { Scene, Tile } from './layout.ts'
import { drawnName, fontFor, initialsOf } from './names.ts'
import type { MediaPlan, PlannedParticipant, Run } from './plan.ts'
import type { Span } from './span.ts'
import { PICTURE } from './tiles.ts'

export const FRAME_MS = 1_000 / FRAMES_PER_SECOND
const VERSION = 1
/** No B-frames: pieces are put together without being encoded again, and each must end where it says. */
const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '26', '-bf', '0', '-g', '125', '-pix_fmt', 'yuv420p']
const COLOURS = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv']

export type Piece = { readonly scene: Pick<Scene, 'dark' | 'tiles'>; readonly firstFrame: number; readonly frames: number }

export type PieceOrder = { readonly recording: string; readonly folder: string; readonly plan: MediaPlan; readonly piece: Piece }

/** What is the same for every piece of a meeting: fonts are asked for once. */
export type Letters = { readonly fonts: ReadonlyMap<string, string> }

export async function findFonts({ signal }: Workshop, { participants }: MediaPlan): Promise<Letters> {
  const fonts = new Map<string, string>()
  for (const { id, name } of participants) {
    const font = await fontFor(`${drawnName(name, PICTURE.width, 12)}${initialsOf(name)}…`, signal)
    if (font !== null) fonts.set(id, font)
  }
  return { fonts }
}

/** The file of the piece: H.264 in Matroska, exactly as many frames as asked. */
export async function makePiece(workshop: Workshop, { recording, folder, plan, piece }: PieceOrder, letters: Letters): Promise<string> {
  const span = { fromMs: piece.firstFrame * FRAME_MS, toMs: (piece.firstFrame + piece.frames) * FRAME_MS }
  const parts = piece.scene.tiles.map((tile) => partOf(plan, tile))
  const segments = parts.map(({ runs }) => runs.flatMap((run) => segmentsFor(run, span).map(({ file, bytes }) => [file, bytes])))
  const names = parts.map(({ owner, text, initials }) => [text, initials, letters.fonts.get(owner?.id ?? '')])
  const key = keyOf(VERSION, piece, segments, names)
  const { file } = await finished({ folder, name: `piece-${key}.mkv`, key }, async (temporary) => {
    const work = path.join(folder, `.work-${key}`)
    await rm(work, { recursive: true, force: true })
    await mkdir(work, { recursive: true, mode: 0o700 })
    const inputs = await inputsOf({ recording, work, span, letters }, parts)
    await writeFile(path.join(work, 'backdrop'), paintBackdrop(piece.scene))
    await encodeWhatCanBeRead(workshop, { work, inputs, frames: piece.frames, temporary })
    await rm(work, { recursive: true, force: true })
    return {}
  })
  return file
}

type Part = {
  readonly tile: Tile
  readonly owner: PlannedParticipant | undefined
  readonly runs: readonly Run[]
  readonly text: string
  readonly initials: string
}

function partOf({ participants }: MediaPlan, tile: Tile): Part {
  const owner = participants.find(({ id }) => id === tile.participantId)
  const runs = tile.shows === 'card' ? [] : (owner?.runs[tile.shows] ?? [])
  const pixels = labelPixels(tile)
  const name = drawnName(owner?.name ?? '', tile.width - 4 * pixels - (tile.shows === 'screen' ? 8 * pixels : 0), pixels)
  return {
    tile,
    owner,
    runs,
    text: tile.shows === 'screen' && name !== '' ? `${name} (screen)` : name,
    initials: initialsOf(owner?.name ?? ''),
  }
}

type Setting = { readonly recording: string; readonly work: string; readonly span: Span; readonly letters: Letters }
type PieceInput = TileInput & { readonly files: readonly string[] }

async function inputsOf({ recording, work, span, letters }: Setting, parts: readonly Part[]): Promise<readonly PieceInput[]> {
  const inputs: PieceInput[] = []
  let input = 1
  for (const [index, { tile, owner, runs, text, initials }] of parts.entries()) {
    const clips: Clip[] = []
    for (const [number, run] of runs.entries())
      clips.push(...(await writeClips(recording, run, span, path.join(work, `${index}-${number}`))))
    const font = letters.fonts.get(owner?.id ?? '') ?? null
    inputs.push({
      tile,
      label: await lettering(path.join(work, `${index}-name`), text, font),
      initials: await lettering(path.join(work, `${index}-initials`), initials, font),
      files: clips.map(({ file }) => file),
      clips: clips.map(({ startMs, shownMs }) => ({ input: input++, moveMs: startMs - span.fromMs, fromMs: shownMs - span.fromMs })),
    })
  }
  return inputs
}

async function lettering(textFile: string, text: string, fontFile: string | null): Promise<Lettering | null> {
  if (text === '' || fontFile === null) return null
  await writeFile(textFile, text)
  return { textFile, fontFile }
}

type Encoding = { readonly work: string; readonly inputs: readonly PieceInput[]; readonly frames: number; readonly temporary: string }

/** A video that no decoder takes must not cost the others theirs: it is left out, and its tile stays empty. */
async function encodeWhatCanBeRead(workshop: Workshop, encoding: Encoding): Promise<void> {
  try {
    await encode(workshop, encoding)
  } catch (error) {
    workshop.signal?.throwIfAborted()
    const inputs = await readable(workshop, encoding.inputs)
    if (filesOf(inputs).length === filesOf(encoding.inputs).length) throw error
    await encode(workshop, { ...encoding, inputs })
  }
}

async function readable(workshop: Workshop, inputs: readonly PieceInput[]): Promise<readonly PieceInput[]> {
  const kept: PieceInput[] = []
  let input = 1
  for (const { files, clips, ...rest } of inputs) {
    const good = await Promise.all(files.map((file) => canBeRead(workshop, file)))
    kept.push({
      ...rest,
      files: files.filter((_, at) => good[at]),
      clips: clips.filter((_, at) => good[at]).map((clip) => ({ ...clip, input: input++ })),
    })
  }
  return kept
}

async function canBeRead(workshop: Workshop, file: string): Promise<boolean> {
  try {
    const args = ['-threads', '1', '-f', 'matroska', '-i', file, '-map', '0:v', '-frames:v', '1', '-f', 'null', '-']
    await ffmpeg(workshop, { args, limitMs: limitFor(0) })
    return true
  } catch {
    workshop.signal?.throwIfAborted()
    return false // That is the answer.
  }
}

const filesOf = (inputs: readonly PieceInput[]): readonly string[] => inputs.flatMap(({ files }) => files)

async function encode(workshop: Workshop, { work, inputs, frames, temporary }: Encoding): Promise<void> {
  const { width, height } = PICTURE
  const backdrop = ['-f', 'rawvideo', '-pixel_format', 'rgb24', '-video_size', `${width}x${height}`, '-i', path.join(work, 'backdrop')]
  const clips = filesOf(inputs).flatMap((file) => ['-threads', '1', '-f', 'matroska', '-i', file])
  const graph = path.join(work, 'graph')
  await writeFile(graph, graphOf(inputs, frames))
  const filtered = ['-filter_complex_script', graph, '-map', '[picture]', '-frames:v', String(frames)]
  const encoded = [...H264, ...COLOURS, '-threads', String(workshop.threads), '-f', 'matroska', temporary]
  await ffmpeg(workshop, { args: [...backdrop, ...clips, ...filtered, ...encoded], limitMs: limitFor(frames * FRAME_MS) })
}
