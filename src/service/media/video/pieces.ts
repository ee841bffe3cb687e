// Divides a composed video into pieces, each with an unchanged layout. Where one camera fills the picture, H.264 may be copied.
import type { MediaPlan, Run } from '../plan.ts'
import type { Span } from '../span.ts'
import { DEFAULT_ENCODER, type Encoder } from './encoder.ts'
import { frameRateOf } from './frame-rate.ts'
import { type Scene, scenesOf, type Tile, type View } from './layout.ts'
import type { Length } from './repeated-frames.ts'
import { PICTURE } from './tiles.ts'

/** The most work that a kill in the middle of a piece loses. Two pieces of a minute also keep two cores busy. */
const LONGEST_PIECE_SECONDS = 60

export type Piece = Length & {
  readonly scene: Pick<Scene, 'dark' | 'tiles'>
  readonly firstFrame: number
  /**
   * `copy`: begins with a key frame of a camera that has the codec and the size of the video. It is encoded only if its parameter sets
   * differ. `encode beside copies`: in a video with such pieces, so its own parameter sets must not have the numbers of theirs.
   */
  readonly way: 'encode' | 'encode beside copies' | 'copy'
}

/** One piece, with the folders of the recording and of the pieces. */
export type PiecePlace = { readonly recording: string; readonly folder: string; readonly plan: MediaPlan; readonly piece: Piece }

export const spanOf = ({ fps, firstFrame, frames }: Pick<Piece, 'fps' | 'firstFrame' | 'frames'>): Span => ({
  fromMs: (firstFrame * 1000) / fps,
  toMs: ((firstFrame + frames) * 1000) / fps,
})

/** The runs of the video that a tile shows. */
export function runsOf({ participants }: MediaPlan, { participantId, shows }: Tile): readonly Run[] {
  const owner = participants.find(({ id }) => id === participantId)
  return shows === 'card' ? [] : (owner?.runs[shows] ?? [])
}

/** Rounded to whole frames, so that the lengths of the pieces add up to the length of the session. */
export function piecesOf(plan: MediaPlan, view: View, { name }: Pick<Encoder, 'name'> = DEFAULT_ENCODER): readonly Piece[] {
  const fps = frameRateOf(plan)
  const frameAt = (ms: number) => Math.round((ms * fps) / 1000)
  const pieces = scenesOf(plan, view).flatMap((scene) => {
    const { dark, tiles, toMs } = scene
    // Only x264 can number its parameter sets.
    const stretches = name === 'x264' ? stretchesOf(plan, scene) : [{ ...scene, cutsMs: null }]
    return stretches.flatMap((stretch, index) => {
      const endMs = stretches[index + 1]?.fromMs ?? toMs
      const cuts = stretch.cutsMs?.map(frameAt) ?? null
      return cut({ first: frameAt(stretch.fromMs), end: frameAt(endMs) }, LONGEST_PIECE_SECONDS * fps, cuts).map((it) => ({
        scene: { dark, tiles },
        fps,
        ...it,
        way: cuts ? ('copy' as const) : ('encode' as const),
      }))
    })
  })
  if (!pieces.some(({ way }) => way === 'copy')) return pieces
  return pieces.map((piece) => ({ ...piece, way: piece.way === 'copy' ? piece.way : 'encode beside copies' }))
}

/** `cutsMs`: the key frames at which a copied stretch may be cut; null: it is encoded. */
type Stretch = { readonly fromMs: number; readonly cutsMs: readonly number[] | null }

function stretchesOf(plan: MediaPlan, { fromMs, toMs, tiles }: Scene): readonly Stretch[] {
  const [tile, ...more] = tiles
  const runs = tile && more.length === 0 && tile.shows === 'camera' ? runsOf(plan, tile).filter((run) => run.startMs < toMs) : []
  const stretches = runs.flatMap((run, index) => {
    const untilMs = Math.min(toMs, runs[index + 1]?.startMs ?? toMs)
    const keys = hasFormatOfVideo(run) ? run.segments.filter(({ continues }) => !continues).map(({ startMs }) => startMs) : []
    const cutsMs = keys.filter((ms) => ms >= fromMs && ms < untilMs)
    const [first] = cutsMs
    const lead = run.startMs > fromMs ? [{ fromMs: run.startMs, cutsMs: null }] : []
    return first === undefined ? lead : [...lead, { fromMs: first, cutsMs }]
  })
  return [{ fromMs, cutsMs: null }, ...stretches]
}

const hasFormatOfVideo = ({ codec, width, height }: Run): boolean =>
  codec === 'h264' && width === PICTURE.width && height === PICTURE.height

type Frames = Pick<Piece, 'firstFrame' | 'frames'>
type Range = { readonly first: number; readonly end: number }

/** Into parts of at most `longest` frames: anywhere, or at `cuts` if there are any. */
function cut({ first, end }: Range, longest: number, cuts: readonly number[] | null): readonly Frames[] {
  const parts: Frames[] = []
  for (let from = first; from < end; ) {
    const next = Math.min(end, from + longest)
    const possible = [...(cuts?.filter((frame) => frame > from && frame < end) ?? [next]), end]
    const to = possible.findLast((frame) => frame <= next) ?? possible[0] ?? end
    parts.push({ firstFrame: from, frames: to - from })
    from = to
  }
  return parts
}
