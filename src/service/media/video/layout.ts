// Decides which participant has which tile, and when the layout changes.
import { blackSpans, type MediaPlan, type PlannedParticipant } from '../plan.ts'
import { type Span, spanLookup } from '../span.ts'
import { activeSpeakers, type SpeakerChange } from './active-speaker.ts'
import { type Box, besideScreen, gridOf, MOST_TILES } from './tiles.ts'

export type View = 'grid_view' | 'speaker_view'

export type Tile = Box & { readonly participantId: string; readonly shows: 'camera' | 'screen' | 'card' }

/** `dark` is a pause or a gap. A scene without tiles is a meeting without participants. */
export type Scene = Span & { readonly dark: boolean; readonly tiles: readonly Tile[] }

/** The layout changes at most twice a second, so that it does not flicker when several participants join or turn cameras on. */
const STEP_MS = 500

type Moment = {
  readonly here: readonly PlannedParticipant[]
  readonly seen: ReadonlySet<string>
  readonly sharing: readonly string[]
  /** The most recent speaker first. */
  readonly speakers: readonly string[]
}

/** Contiguous scenes from the first millisecond to the last. */
export function scenesOf(plan: MediaPlan, view: View): readonly Scene[] {
  const dark = blackSpans(plan)
  const isDark = spanLookup(dark)
  const watch = momentReader(plan)
  const page = pager()
  const scenes: Scene[] = []
  const moments = momentsOf(plan, dark)
  moments.forEach((fromMs, index) => {
    const toMs = moments[index + 1] ?? plan.totalMs
    const scene = { fromMs, toMs, dark: isDark(fromMs), tiles: isDark(fromMs) ? [] : VIEWS[view](watch(settled(fromMs)), page) }
    const last = scenes.at(-1)
    if (last && isSame(last, scene)) scenes[scenes.length - 1] = { ...last, toMs }
    else scenes.push(scene)
  })
  return scenes
}

/** Joins, cameras and speakers take effect at the next step; pauses and gaps take effect at once. */
function momentsOf(plan: MediaPlan, dark: readonly Span[]): readonly number[] {
  const spans = plan.participants.flatMap(({ present, visible, sharing }) => [...present, ...visible, ...sharing])
  const soft = [...spans.flatMap(({ fromMs, toMs }) => [fromMs, toMs]), ...activeSpeakers(plan.participants).map(({ fromMs }) => fromMs)]
  const hard = dark.flatMap(({ fromMs, toMs }) => [fromMs, toMs])
  const steps = soft.map((ms) => Math.ceil(ms / STEP_MS) * STEP_MS)
  return [...new Set([0, ...hard, ...steps])].filter((ms) => ms >= 0 && ms < plan.totalMs).sort((a, b) => a - b)
}

/** Evaluates a scene at the end of its first step, so that a participant who joins within that step is in the scene. */
const settled = (ms: number): number => (Math.floor(ms / STEP_MS) + 1) * STEP_MS - 1

/** To be called with ascending times. */
function momentReader({ participants }: MediaPlan): (atMs: number) => Moment {
  const lookups = participants
    .filter(({ isMix }) => !isMix)
    .map((participant) => ({
      participant,
      isHere: spanLookup(participant.present),
      isSeen: spanLookup(participant.visible),
      isSharing: spanLookup(participant.sharing),
    }))
  const changes = activeSpeakers(participants)
  let next = 0
  let speakers: readonly string[] = []
  return (atMs) => {
    for (let change: SpeakerChange | undefined = changes[next]; change && change.fromMs <= atMs; change = changes[++next]) {
      const { id } = change
      speakers = [id, ...speakers.filter((other) => other !== id)]
    }
    return {
      here: lookups.filter(({ isHere }) => isHere(atMs)).map(({ participant }) => participant),
      seen: new Set(lookups.filter(({ isSeen }) => isSeen(atMs)).map(({ participant }) => participant.id)),
      sharing: lookups.filter(({ isSharing }) => isSharing(atMs)).map(({ participant }) => participant.id),
      speakers,
    }
  }
}

type Page = (moment: Moment, most: number) => readonly string[]

const VIEWS: Readonly<Record<View, (moment: Moment, page: Page) => readonly Tile[]>> = {
  grid_view(moment, page) {
    const screen = moment.sharing.at(-1)
    if (screen !== undefined) return withScreen(moment, screen, page(moment, besideScreen(MOST_TILES).length - 1))
    const ids = page(moment, MOST_TILES)
    return faces(moment, ids, gridOf(ids.length))
  },
  speaker_view(moment) {
    const shown = speakerNow(moment)
    const screen = moment.sharing.at(-1)
    if (screen !== undefined) return withScreen(moment, screen, shown === null ? [] : [shown])
    return shown === null ? [] : faces(moment, [shown], gridOf(1))
  },
}

/** Shows the screen that was shared last, with a strip of participants beside it. */
function withScreen(moment: Moment, screen: string, ids: readonly string[]): readonly Tile[] {
  const [large, ...strip] = besideScreen(ids.length)
  return large ? [{ ...large, participantId: screen, shows: 'screen' }, ...faces(moment, ids, strip)] : []
}

function faces({ seen }: Moment, ids: readonly string[], boxes: readonly Box[]): readonly Tile[] {
  return boxes.flatMap((box, index) => {
    const id = ids[index]
    return id === undefined ? [] : [{ ...box, participantId: id, shows: seen.has(id) ? ('camera' as const) : ('card' as const) }]
  })
}

function speakerNow({ here, seen, speakers }: Moment): string | null {
  const ids = here.map(({ id }) => id)
  return speakers.find((id) => ids.includes(id)) ?? ids.find((id) => seen.has(id)) ?? ids[0] ?? null
}

/** Where not all participants fit, the recent speakers are shown. A participant who stays on the page keeps the same tile. */
function pager(): Page {
  let shown: readonly string[] = []
  return ({ here, speakers }, most) => {
    const ids = here.map(({ id }) => id)
    const recent = [...speakers.filter((id) => ids.includes(id)), ...ids.filter((id) => !speakers.includes(id))].slice(0, most)
    if (ids.length <= most) shown = ids
    else shown = replaced(shown.filter((id) => ids.includes(id)).slice(0, most), recent)
    return shown
  }
}

function replaced(shown: readonly string[], wanted: readonly string[]): readonly string[] {
  const missing = wanted.filter((id) => !shown.includes(id))
  const kept = shown.map((id) => (wanted.includes(id) ? id : (missing.shift() ?? id)))
  return [...kept, ...missing]
}

function isSame(a: Scene, b: Scene): boolean {
  return a.dark === b.dark && JSON.stringify(a.tiles) === JSON.stringify(b.tiles)
}
