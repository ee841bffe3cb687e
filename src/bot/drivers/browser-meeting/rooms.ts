// Breakout rooms: reports into which room the bot is moved, and presses what lets it go along.
import type { MeetingEvent } from '../../../domain/meeting.ts'
import { type Facts, plain } from './facts.ts'
import type { ReportedRoom } from './meeting-client.ts'
import type { ControlName, PageRules } from './page-rules.ts'
import { isInRoom } from './screens.ts'
import { Presses } from './steps.ts'

type RoomTools = {
  readonly pageRules: Pick<PageRules, 'rooms' | 'sentences'>
  /** Null where the platform itself reports no room. */
  readonly reported?: () => ReportedRoom | null
  readonly press: (control: ControlName) => Promise<boolean>
  readonly emit: (event: MeetingEvent) => void
  readonly now: () => number
}

const NAMELESS = 'Breakout room'
/** The page shows a room this soon after the platform reports it. */
const SHOWN_WITHIN_MS = 10_000
const CANNOT_FOLLOW = 'The bot was asked to move to another room and could not: pressing the button had no effect. It stays where it is.'

/** Returns the function that is called after each look at the call. `isInside`: the page shows a call, and not the way to another one. */
export function followRooms(tools: RoomTools): (facts: Facts, isInside: boolean) => Promise<void> {
  const { pageRules, reported, emit, now } = tools
  const { besides = [], invitations = [] } = pageRules.rooms ?? {}
  const goAlong = createFollower(tools)
  let room: string | null = null
  /** What the page of the main meeting shows where a breakout room has its name. */
  let title: string | null = null
  /** The room of the last invitation, until the bot has left that room. */
  let invitedTo = ''
  /** Of the last look at a call. */
  let seenAt: number | null = null
  /** Of the look that showed the last move. */
  let changedAt = Number.NEGATIVE_INFINITY
  /** Of the first look at the page between two calls. */
  let movingSince: number | null = null
  const nameIn = (facts: Facts): string | null => {
    const shown = besides.reduce((text, it) => text.replace(it, ''), facts.room).trim()
    // Where the page shows the same as in the main meeting, it does not name the room.
    if (isInRoom(facts, pageRules)) return (shown === title ? '' : shown) || invitedTo || NAMELESS
    const isReported = reported?.()?.name === ''
    if (!isReported) title = shown
    // Another call under the title of the meeting is the meeting, joined again.
    return isReported && shown !== title ? shown || NAMELESS : null
  }
  /** No audio arrives between two calls, so each moment of the move is as good. A look is too late where it is the first in the room. */
  function movedAt(name: string | null, at: number): number {
    const report = reported?.() ?? null
    // The page may be first. The report is then still that of the move before.
    const isOfThis = report !== null && (report.name === null) === (name === null) && report.sinceMs > changedAt
    return movingSince ?? (isOfThis && at - report.sinceMs < SHOWN_WITHIN_MS ? report.sinceMs : (seenAt ?? at))
  }
  function enter(name: string | null, at: number): void {
    if (name !== room) {
      emit({ kind: 'room', name, at: movedAt(name, at) })
      changedAt = at
    }
    if (room !== null && name === null) invitedTo = ''
    room = name
    seenAt = at
    movingSince = null
  }
  return (facts, isInside) => {
    const isLeaving = room !== null && !isInside && movingSince === null
    invitedTo = invitationIn(facts, invitations) ?? (isLeaving ? '' : invitedTo)
    if (isInside) enter(reported?.()?.name || nameIn(facts), now())
    else movingSince ??= now()
    return goAlong(facts)
  }
}

/** Presses what lets the bot go along. Says once where that has no effect. */
function createFollower({ pageRules, press, emit, now }: RoomTools): (facts: Facts) => Promise<void> {
  const { follow = [] } = pageRules.rooms ?? {}
  let presses = new Presses()
  let isExplained = false
  return async (facts) => {
    if (!follow.some((it) => facts.visible.has(it))) {
      presses = new Presses()
      isExplained = false
      return
    }
    const control = presses.first(follow, facts)
    if (control) presses.count(control, await press(control))
    else if (!isExplained) {
      isExplained = true
      emit({ kind: 'problem', step: 'breakout room', message: CANNOT_FOLLOW, at: now() })
    }
  }
}

/** The rest of the line that begins with one of these. */
function invitationIn({ words }: Facts, beginnings: readonly string[]): string | null {
  for (const line of words.split('\n').map((it) => it.trim())) {
    const beginning = beginnings.find((it) => plain(line).startsWith(it))
    if (beginning !== undefined) return line.slice(beginning.length).trim()
  }
  return null
}
