// Encodes one piece of the composed video: a span with an unchanged layout. A repeated step reuses finished pieces.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Semaphore } from '../../../kit/semaphore.ts'
import type { PlannedSegment } from '../divided-mix.ts'
import { type FfmpegOptions, ffmpeg, limitFor, NICE_VIDEO, ONE_THREAD } from '../ffmpeg.ts'
import { cacheKey, makeOnce } from '../file-cache.ts'
import type { MediaPlan, PlannedParticipant, Run } from '../plan.ts'
import type { Span } from '../span.ts'
import { paintBackdrop } from './backdrop.ts'
import { type Clip, segmentsFor, writeClips } from './clips.ts'
import { DEFAULT_ENCODER, type Encoder, encodingArgs } from './encoder.ts'
import { type DrawnText, filterGraph, labelPixels, type TileInput } from './filter-graph.ts'
import type { Tile } from './layout.ts'
import { drawnName, fontFor, initialsOf } from './name-labels.ts'
import { type Piece, type PiecePlace, runsOf, spanOf } from './pieces.ts'
import { type FrameSpan, type Length, repeatedSpans } from './repeated-frames.ts'
import { PICTURE } from './tiles.ts'

const VERSION = 5
/** For ffmpeg alone, a file without frames is no error. */
const FAIL_IF_EMPTY = ['-abort_on', 'empty_output']
/** Each file is read by the thread that decodes it. Newer versions of ffmpeg take 0 for their default, which is a thread per file. */
const READ_IN_PLACE = ['-thread_queue_size', '0']

export type PieceOrder = PiecePlace & {
  /** Default: x264. */
  readonly encoder?: Encoder
  /** Default: encoded at once. */
  readonly inTurn?: Semaphore
}

/** Fonts by participant id, looked up once per meeting. */
export type NameFonts = ReadonlyMap<string, string>

export async function findFonts({ signal }: FfmpegOptions, { participants }: MediaPlan): Promise<NameFonts> {
  const fonts = new Map<string, string>()
  for (const { id, name } of participants) {
    const font = await fontFor(`${drawnName(name, PICTURE.width, 12)}${initialsOf(name)}…`, signal)
    if (font !== null) fonts.set(id, font)
  }
  return fonts
}

/** The recorded segments that a piece is made of, for each of its tiles. */
export function segmentsOf(plan: MediaPlan, piece: Piece): readonly (readonly PlannedSegment[])[] {
  const span = spanOf(piece)
  return piece.scene.tiles.map((tile) => runsOf(plan, tile).flatMap((run) => segmentsFor(run, span)))
}

/** Makes an H.264 file in Matroska that ends with frame `piece.frames`. Frames that repeat the one before may be missing. */
export async function makePiece(ffmpegOptions: FfmpegOptions, order: PieceOrder, nameFonts: NameFonts): Promise<string> {
  const { folder, plan, piece, encoder = DEFAULT_ENCODER, inTurn = atOnce } = order
  const parts = piece.scene.tiles.map((tile) => partOf(plan, tile))
  const segments = segmentsOf(plan, piece).map((of) => of.map(({ file, bytes }) => [file, bytes]))
  const names = parts.map(({ owner, text, initials }) => [text, initials, nameFonts.get(owner?.id ?? '')])
  const key = cacheKey(VERSION, encoder, piece, segments, names)
  const { file } = await makeOnce({ folder, name: `piece-${key}.mkv`, key }, async (temporary) => {
    const work = path.join(folder, `.work-${key}`)
    await inTurn(() => encodePiece(ffmpegOptions, { ...order, encoder, parts, work, temporary }, nameFonts), ffmpegOptions.signal)
    return {}
  })
  return file
}

const atOnce: Semaphore = (work) => work()

type PieceEncoding = PieceOrder & {
  readonly encoder: Encoder
  readonly parts: readonly Part[]
  readonly work: string
  readonly temporary: string
}

async function encodePiece(ffmpegOptions: FfmpegOptions, encoding: PieceEncoding, nameFonts: NameFonts): Promise<void> {
  const { recording, piece, encoder, parts, work, temporary } = encoding
  const { fps, frames, way } = piece
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true, mode: 0o700 })
  const inputs = await inputsOf({ recording, work, span: spanOf(piece), nameFonts }, parts)
  await writeFile(path.join(work, 'backdrop'), paintBackdrop(piece.scene))
  const changesMs = inputs.flatMap((input) => input.changesMs)
  const repeats = repeatedSpans(changesMs, { frames, fps })
  await encodeReadable(ffmpegOptions, { work, inputs, frames, fps, repeats, encoder, besideCopies: way !== 'encode', temporary })
  await rm(work, { recursive: true, force: true })
}

type Part = {
  readonly tile: Tile
  readonly owner: PlannedParticipant | undefined
  readonly runs: readonly Run[]
  readonly text: string
  readonly initials: string
}

function partOf(plan: MediaPlan, tile: Tile): Part {
  const owner = plan.participants.find(({ id }) => id === tile.participantId)
  const pixels = labelPixels(tile)
  const name = drawnName(owner?.name ?? '', tile.width - 4 * pixels - (tile.shows === 'screen' ? 8 * pixels : 0), pixels)
  return {
    tile,
    owner,
    runs: runsOf(plan, tile),
    text: tile.shows === 'screen' && name !== '' ? `${name} (screen)` : name,
    initials: initialsOf(owner?.name ?? ''),
  }
}

type Setting = { readonly recording: string; readonly work: string; readonly span: Span; readonly nameFonts: NameFonts }
type PieceInput = TileInput & { readonly files: readonly string[]; readonly changesMs: readonly number[] }

async function inputsOf({ recording, work, span, nameFonts }: Setting, parts: readonly Part[]): Promise<readonly PieceInput[]> {
  const inputs: PieceInput[] = []
  let input = 1
  for (const [index, { tile, owner, runs, text, initials }] of parts.entries()) {
    const clips: Clip[] = []
    for (const [number, run] of runs.entries())
      clips.push(...(await writeClips(recording, run, span, path.join(work, `${index}-${number}`))))
    const font = nameFonts.get(owner?.id ?? '') ?? null
    inputs.push({
      tile,
      label: await writeText(path.join(work, `${index}-name`), text, font),
      initials: await writeText(path.join(work, `${index}-initials`), initials, font),
      files: clips.map(({ file }) => file),
      changesMs: clips.flatMap(({ packetsMs }) => packetsMs.map((atMs) => atMs - span.fromMs)),
      clips: clips.map(({ startMs, shownMs, size }) => ({
        input: input++,
        moveMs: startMs - span.fromMs,
        fromMs: shownMs - span.fromMs,
        size,
      })),
    })
  }
  return inputs
}

async function writeText(textFile: string, text: string, fontFile: string | null): Promise<DrawnText | null> {
  if (text === '' || fontFile === null) return null
  await writeFile(textFile, text)
  return { textFile, fontFile }
}

type Encoding = Length & {
  readonly repeats: readonly FrameSpan[]
  readonly encoder: Encoder
  readonly besideCopies: boolean
  readonly work: string
  readonly inputs: readonly PieceInput[]
  readonly temporary: string
}

/** Leaves out undecodable videos, so that one bad video only empties its own tile. */
async function encodeReadable(ffmpegOptions: FfmpegOptions, encoding: Encoding): Promise<void> {
  try {
    await encode(ffmpegOptions, encoding)
  } catch (error) {
    ffmpegOptions.signal?.throwIfAborted()
    const inputs = await decodableInputs(ffmpegOptions, encoding.inputs)
    if (filesOf(inputs).length === filesOf(encoding.inputs).length) throw error
    await encode(ffmpegOptions, { ...encoding, inputs })
  }
}

async function decodableInputs(ffmpegOptions: FfmpegOptions, inputs: readonly PieceInput[]): Promise<readonly PieceInput[]> {
  const kept: PieceInput[] = []
  let input = 1
  for (const { files, clips, ...rest } of inputs) {
    const good = await Promise.all(files.map((file) => isDecodable(ffmpegOptions, file)))
    kept.push({
      ...rest,
      files: files.filter((_, at) => good[at]),
      clips: clips.filter((_, at) => good[at]).map((clip) => ({ ...clip, input: input++ })),
    })
  }
  return kept
}

async function isDecodable(ffmpegOptions: FfmpegOptions, file: string): Promise<boolean> {
  try {
    const args = [...FAIL_IF_EMPTY, ...ONE_THREAD, '-f', 'matroska', '-i', file, '-map', '0:v', '-frames:v', '1', '-f', 'null', '-']
    await ffmpeg(ffmpegOptions, { args, limitMs: limitFor(0) })
    return true
  } catch {
    ffmpegOptions.signal?.throwIfAborted()
    return false // An ffmpeg error means that the file cannot be decoded.
  }
}

const filesOf = (inputs: readonly PieceInput[]): readonly string[] => inputs.flatMap(({ files }) => files)

async function encode(ffmpegOptions: FfmpegOptions, encoding: Encoding): Promise<void> {
  const { work, inputs, frames, fps, repeats, encoder, besideCopies, temporary } = encoding
  const { width, height } = PICTURE
  const shows = inputs.some(({ tile }) => tile.shows === 'screen') ? 'screen' : 'cameras'
  const { device, upload, output } = encodingArgs(encoder, fps, { shows, besideCopies })
  const pixels = ['-f', 'rawvideo', '-pixel_format', 'rgb24', '-video_size', `${width}x${height}`]
  const backdrop = [...READ_IN_PLACE, ...pixels, '-i', path.join(work, 'backdrop')]
  const clips = filesOf(inputs).flatMap((file) => [...ONE_THREAD, ...READ_IN_PLACE, '-f', 'matroska', '-i', file])
  const graph = path.join(work, 'graph')
  await writeFile(graph, filterGraph(inputs, { frames, fps, repeats, upload }))
  const filtered = ['-filter_complex_script', graph, '-map', '[picture]', '-frames:v', String(frames)]
  await ffmpeg(ffmpegOptions, {
    args: [...FAIL_IF_EMPTY, ...device, ...backdrop, ...clips, ...filtered, ...output, '-f', 'matroska', temporary],
    limitMs: limitFor((frames * 1000) / fps),
    nice: NICE_VIDEO,
  })
}
