// Plans the bots of calendar events: which bots are wanted, and the steps from the existing to the wanted ones. Pure.

/** One stored event, with the fields that matter for bots. Copies of an occurrence share a key. */
export type Candidate = {
  readonly eventId: string
  readonly occurrenceKey: string
  /** Null: no link that a bot can join. */
  readonly meetingKey: string | null
  readonly start: Date
  readonly end: Date
  readonly changedAt: Date
  /** Neither deleted nor declined. */
  readonly attended: boolean
  /** The user's newest choice for this event or its series. */
  readonly request: 'bot' | 'none' | null
  readonly requestedAt: Date | null
  /** The user has auto-scheduling on, and it covers this event. */
  readonly auto: boolean
}

export type Slot = { readonly meetingKey: string; readonly start: Date }

export type WantedBot = Slot & {
  /** The event of the last explicit request, otherwise the first one. */
  readonly eventId: string
  /** The copy whose link the bot joins. */
  readonly linkEventId: string
  readonly end: Date
  /** All occurrences that this bot serves. */
  readonly occurrenceKeys: readonly string[]
  readonly asked: boolean
}

/** waiting: Scheduled. out: the bot has started. over: the bot has ended. called_off: a user cancelled the bot. */
export type Phase = 'waiting' | 'out' | 'over' | 'called_off'

export type Existing = Slot & {
  readonly scheduleId: string
  readonly botId: string
  readonly eventId: string
  readonly occurrenceKey: string
  readonly phase: Phase
}

export type Step =
  | { readonly kind: 'create'; readonly wanted: WantedBot }
  /** The bot stays, with another time, another meeting or other events. */
  | { readonly kind: 'change'; readonly existing: Existing; readonly wanted: WantedBot; readonly moves: boolean; readonly relinks: boolean }
  | { readonly kind: 'cancel'; readonly existing: Existing }
  /** The bot is left alone, and its occurrence may get another one. */
  | { readonly kind: 'release'; readonly existing: Existing }

/** An event first seen this long after its start still gets a bot. */
const LATE_MS = 10 * 60_000
/** A bot that has started also serves its meeting when that is postponed by up to this from now. */
const PATIENCE_MS = 30 * 60_000

export function wantedBots(candidates: readonly Candidate[]): readonly WantedBot[] {
  const occurrences = Map.groupBy(candidates.filter(isAttendable), ({ occurrenceKey }) => occurrenceKey)
  const wanted = [...occurrences.values()].flatMap((copies) => wantedFor(copies) ?? [])
  const bots = [...Map.groupBy(wanted, slotKey).values()].flatMap((same) => merged(same) ?? [])
  return bots.toSorted((a, b) => a.start.getTime() - b.start.getTime())
}

type Attendable = Candidate & { readonly meetingKey: string }

function isAttendable(candidate: Candidate): candidate is Attendable {
  return candidate.attended && candidate.meetingKey !== null
}

/** The newest copy of an occurrence gives time and link. The newest choice decides whether a bot is wanted. */
function wantedFor(copies: readonly Attendable[]): WantedBot | null {
  const newest = copies.reduce((best, it) => (isNewer(it, best) ? it : best))
  const choice = copies.filter(({ request }) => request !== null).toSorted((a, b) => timeOf(b.requestedAt) - timeOf(a.requestedAt))[0]
  if (choice ? choice.request === 'none' : !copies.some(({ auto }) => auto)) return null
  const sender = choice ?? copies.filter(({ auto }) => auto).toSorted(byEventId)[0] ?? newest
  const { meetingKey, start, end, occurrenceKey } = newest
  return {
    meetingKey,
    start,
    end,
    eventId: sender.eventId,
    linkEventId: newest.eventId,
    occurrenceKeys: [occurrenceKey],
    asked: choice !== undefined,
  }
}

/** Events at the same time in the same meeting share one bot. */
function merged(same: readonly WantedBot[]): WantedBot | null {
  const [first] = same.toSorted((a, b) => Number(b.asked) - Number(a.asked) || byEventId(a, b))
  return first ? { ...first, occurrenceKeys: same.flatMap(({ occurrenceKeys }) => occurrenceKeys).toSorted() } : null
}

/** The steps from the existing to the wanted bots. Waiting bots that are not wanted are cancelled, others are left alone. */
export function planSteps(wanted: readonly WantedBot[], existing: readonly Existing[], now: Date): readonly Step[] {
  const pairs = matched(wanted, existing)
  const claimed = new Set([...pairs.values()])
  const left = existing.filter((it) => !claimed.has(it))
  const unwanted = left.filter(({ phase }) => phase === 'waiting')
  const inTheWay = left.filter((it) => it.phase !== 'waiting' && isReplaced(it, pairs))
  return [
    ...unwanted.map((it): Step => ({ kind: 'cancel', existing: it })),
    ...inTheWay.map(release),
    ...wanted.flatMap((bot) => stepsFor(bot, pairs.get(bot), now)),
  ]
}

/** Matches by slot and occurrence first, then by occurrence, then by slot, then by a series that was moved. */
function matched(wanted: readonly WantedBot[], existing: readonly Existing[]): ReadonlyMap<WantedBot, Existing> {
  const bySlot = Map.groupBy(existing, slotKey)
  const byKey = Map.groupBy(existing, ({ occurrenceKey }) => occurrenceKey)
  const byMeeting = Map.groupBy(existing, ({ meetingKey }) => meetingKey)
  const atPlace = (bot: WantedBot) => bySlot.get(slotKey(bot)) ?? []
  const byName = (bot: WantedBot) => bot.occurrenceKeys.flatMap((key) => byKey.get(key) ?? [])
  const right = (bot: WantedBot) => atPlace(bot).filter(({ occurrenceKey }) => bot.occurrenceKeys.includes(occurrenceKey))

  const pairs = new Map<WantedBot, Existing>()
  const claimed = new Set<Existing>()
  const ofSeries = (bot: WantedBot) => {
    const waiting = (byMeeting.get(bot.meetingKey) ?? []).filter(({ phase }) => phase === 'waiting')
    const series = new Set(bot.occurrenceKeys.map(seriesOf))
    return waiting.filter(({ occurrenceKey }) => series.has(seriesOf(occurrenceKey)))
  }
  for (const search of [right, byName, atPlace, ofSeries]) {
    for (const bot of wanted) {
      const [found] = pairs.has(bot)
        ? []
        : search(bot)
            .filter((it) => !claimed.has(it))
            .toSorted(byPhase)
      if (!found) continue
      pairs.set(bot, found)
      claimed.add(found)
    }
  }
  return pairs
}

/** True: a wanted bot with the same slot or occurrence is already served by another bot. */
function isReplaced(it: Existing, pairs: ReadonlyMap<WantedBot, Existing>): boolean {
  return [...pairs.keys()].some((bot) => slotKey(bot) === slotKey(it) || bot.occurrenceKeys.includes(it.occurrenceKey))
}

function release(existing: Existing): Step {
  return { kind: 'release', existing }
}

function stepsFor(wanted: WantedBot, existing: Existing | undefined, now: Date): readonly Step[] {
  const inTime = isInTime(wanted, now)
  const create = inTime ? [{ kind: 'create', wanted } as const] : []
  if (!existing) return create
  const moves = existing.start.getTime() !== wanted.start.getTime()
  const relinks = existing.meetingKey !== wanted.meetingKey
  const change = { kind: 'change', existing, wanted } as const
  if (!moves && !relinks && wanted.occurrenceKeys.includes(existing.occurrenceKey)) return []
  if (existing.phase === 'waiting') {
    // Moved into the past, the event has no meeting to join.
    return moves && !inTime ? [{ kind: 'cancel', existing }] : [{ ...change, moves, relinks }]
  }
  // A started bot cannot be moved, but it may serve the moved event.
  if (isServedBy(existing, wanted, now)) return [{ ...change, moves: false, relinks: false }]
  return [release(existing), ...create]
}

/** A bot that was called off stays so wherever the event moves. One that has joined is enough until the event is postponed. */
function isServedBy({ phase, meetingKey, start }: Existing, wanted: WantedBot, now: Date): boolean {
  if (phase === 'called_off' || (meetingKey === wanted.meetingKey && start.getTime() === wanted.start.getTime())) return true
  if (phase === 'out') return meetingKey === wanted.meetingKey && wanted.start.getTime() <= now.getTime() + PATIENCE_MS
  return wanted.start <= now
}

/** An explicit request gets a bot until the event ends. */
function isInTime({ start, end, asked }: WantedBot, now: Date): boolean {
  return now < end && (asked || now.getTime() <= start.getTime() + LATE_MS)
}

const PHASES: Readonly<Record<Phase, number>> = { waiting: 0, out: 1, over: 2, called_off: 3 }

function byPhase(a: Existing, b: Existing): number {
  return PHASES[a.phase] - PHASES[b.phase] || a.start.getTime() - b.start.getTime() || (a.scheduleId < b.scheduleId ? -1 : 1)
}

export function slotKey({ meetingKey, start }: Slot): string {
  return `${meetingKey} ${start.getTime()}`
}

/** The key of an occurrence begins with that of its series. */
function seriesOf(occurrenceKey: string): string {
  return occurrenceKey.split('|')[0] ?? occurrenceKey
}

function isNewer(a: Candidate, b: Candidate): boolean {
  const difference = a.changedAt.getTime() - b.changedAt.getTime()
  return difference > 0 || (difference === 0 && a.eventId < b.eventId)
}

function byEventId(a: { readonly eventId: string }, b: { readonly eventId: string }): number {
  return a.eventId < b.eventId ? -1 : 1
}

function timeOf(date: Date | null): number {
  return date?.getTime() ?? 0
}
