// Ten people of a Google Meet call talk over each other, while the sources of their names are missing, elsewhere or wrong: their audio is
// under their own names or under none.
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Scenario } from '../../../sims/google-meet/meet.ts'
import type { MeetSpace, SpaceOptions } from '../../../sims/google-meet/sfu/types.ts'
import { wav } from '../../helpers/callers/files-server.ts'
import { loadCpus } from '../../helpers/cpu-load.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { type AttributedCall, finishCall } from '../../helpers/media/attributed-call.ts'
import { type FoundTone, shareHeldBy, type Turn, tonesIn, turnsApart } from '../../helpers/media/attribution.ts'
import { MeetStage } from '../../helpers/meetings/google-meet.ts'
import { CAST, type Name, type Sent } from '../../helpers/meetings/meet-cast.ts'
import { RUNS_ALL, scaled } from '../../helpers/scale.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const TONE_SECONDS = 1.2
/** From start to start, so that at most three lanes are in use: a tone keeps its lane for 600 ms after its end. */
const APART_MS = 650
/** How late a machine under load may report a turn. The same person speaks again after six seconds. */
const LATE_MS = 2_000
const ROUNDS = scaled({ all: 2, gate: 1 })
const UNKNOWN = ''

const NAMES = CAST.map(({ name }) => name)

type Case = {
  readonly names: string
  readonly space: SpaceOptions
  readonly tiles?: boolean
  /** In no device output. */
  readonly unlisted: readonly Name[]
  /** What `Media` of the bot says about each person at the end; null: nothing. */
  readonly namedBy: (name: Name) => string | null
  readonly isLoaded?: boolean
}

const SOME: readonly Name[] = ['Ben', 'Eve', 'Hal']
const ANY_WAY: Case = {
  names: 'are anywhere, and of some people only on the page',
  space: { speakersBy: 'stream', outputsAt: 'anywhere' },
  unlisted: SOME,
  namedBy: (name) => (SOME.includes(name) ? 'page' : 'list'),
}
const HELD_BY_ONE: Case = {
  names: 'are contradicted by a list in which one person holds everything',
  space: { speakersBy: 'device and stream', outputsName: 'one' },
  unlisted: [],
  // The list gives a person one stream: that of the output that came last.
  namedBy: (name) => (name === NAMES.at(-1) ? 'contradicted' : 'record'),
}

const CASES: readonly Case[] = [
  ANY_WAY,
  HELD_BY_ONE,
  { names: 'lack records', space: { speakersBy: 'nothing' }, unlisted: [], namedBy: () => 'list' },
  { names: 'lack the page', space: {}, tiles: false, unlisted: [], namedBy: () => 'list' },
  { names: 'lack the list', space: { speakersBy: 'device and stream' }, unlisted: NAMES, namedBy: () => 'record' },
  { names: 'are in records only', space: { speakersBy: 'device and stream' }, tiles: false, unlisted: NAMES, namedBy: () => 'record' },
  { names: 'are on the page only', space: { speakersBy: 'stream' }, unlisted: NAMES, namedBy: () => 'page' },
  { names: 'are nowhere', space: { speakersBy: 'stream' }, tiles: false, unlisted: NAMES, namedBy: () => null },
  { ...ANY_WAY, names: 'are anywhere, on a machine under load', isLoaded: true },
]

const stage = openForFile(() => MeetStage.open())

type Media = { readonly participants: readonly { readonly name: string; readonly named_by: string | null }[] }
const mediaOf = async (id: string): Promise<Media> => (await stage.service.api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details.Media
const namingsOf = async (id: string) => Object.fromEntries((await mediaOf(id)).participants.map(({ name, named_by: by }) => [name, by]))

/** Ten people come in. Returns the function with which they talk. */
async function assemble(space: MeetSpace, unlisted: readonly Name[]): Promise<() => Promise<void>> {
  const people: (() => Promise<unknown>)[] = []
  for (const { name, hz, colour } of CAST) {
    // One camera: its track shows that the bot is connected.
    const camera = people.length === 0 && colour ? { colour } : {}
    const person = await space.join({ name, ...camera, unlisted: unlisted.includes(name) })
    people.push(() => person.say(wav(hz, TONE_SECONDS)))
  }
  return async () => {
    const tones: Promise<unknown>[] = []
    for (const say of Array.from({ length: ROUNDS }, () => people).flat()) {
      tones.push(say())
      await delay(APART_MS)
    }
    await Promise.all(tones)
  }
}

function sentIn(space: MeetSpace): readonly Sent[] {
  return space.truth().map(({ name, fromMs, lanes }) => ({
    name: name as Name,
    isTone: true,
    fromMs,
    toMs: fromMs + TONE_SECONDS * 1000,
    lanes: new Set(lanes.map(({ lane }) => lane)).size,
  }))
}

type Call = { readonly call: AttributedCall; readonly sent: readonly Sent[]; readonly namings: Record<string, string | null> }

async function record({ space, tiles = true, unlisted, namedBy, isLoaded = false }: Case): Promise<Call> {
  const scenario: Partial<Scenario> = { knock: 'admitted', sourceAttributes: tiles, space: { switchLanesEveryMs: 1_000, ...space } }
  const meeting = stage.meeting(scenario)
  const talk = await assemble(meeting.space, unlisted)
  const id = await stage.send(meeting)
  await stage.has(id, 'Recording')
  await until('a track is recorded', () => stage.recordingOf(id).tracks.length > 0, 30_000)
  const isEarly = (name: Name) => ['list', 'page'].includes(namedBy(name) ?? '')
  await until('everybody is known who is named before speaking', async () => {
    const known = await namingsOf(id)
    return NAMES.every((name) => name in known && (!isEarly(name) || known[name] === namedBy(name)))
  })
  const stopLoad = isLoaded ? loadCpus(60_000) : null
  await talk()
  await stopLoad?.()
  const sent = sentIn(meeting.space)
  const call = await finishCall(stage, id)
  return { call, sent, namings: await namingsOf(id) }
}

describe.each(RUNS_ALL ? CASES : [ANY_WAY, HELD_BY_ONE])('a call in which names $names', (given) => {
  test('puts every tone under the right name or under none', { timeout: LONG }, async () => {
    const { call, sent, namings } = await record(given)
    expect(sent).toHaveLength(ROUNDS * NAMES.length)
    expect(namings).toEqual(Object.fromEntries(NAMES.map((name) => [name, given.namedBy(name)])))
    const audio = call.delivery.streams.filter(({ kind }) => kind === 'audio')
    const found = tonesIn(audio, sent, call.zeroMs)
    const isKnown = (name: Name) => ![null, 'contradicted'].includes(given.namedBy(name))
    const wrong = found.filter(({ holder, name }) => holder !== name && holder !== UNKNOWN)
    expect(wrong, 'under another name').toEqual([])
    const shares = sent.map((it) => shareHeldBy(found, it, isKnown(it.name) ? it.name : UNKNOWN))
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length
    report(given, mean, found)
    // A machine under load loses packets, which is no question of names.
    if (!given.isLoaded) expect(mean).toBeGreaterThanOrEqual(0.98)
    expect(given.isLoaded ? turnsOfOthers(call.turns, sent) : turnsNotSpoken(call.turns, sent)).toEqual([])
    await call.delivery.discard()
  })
})

function turnsNotSpoken(turns: readonly Turn[], sent: readonly Sent[]): readonly string[] {
  return turnsApart(turns, sent, (name) => name).filter((it) => /^not spoken: (?!unknown)/.test(it))
}

/** The turns of people who did not speak then. */
function turnsOfOthers(turns: readonly Turn[], sent: readonly Sent[]): readonly Turn[] {
  const isSpoken = ({ name, fromMs, toMs }: Turn) =>
    sent.some((it) => it.name === name && it.fromMs < toMs + LATE_MS && fromMs < it.toMs + LATE_MS)
  return turns.filter((it) => it.name !== UNKNOWN && !isSpoken(it))
}

function report({ names }: Case, mean: number, found: readonly FoundTone[]): void {
  const unknown = found.filter(({ holder }) => holder === UNKNOWN).length
  console.info(
    `names ${names}: ${(100 * mean).toFixed(1)} % of the tones as expected, ${unknown} of ${found.length} looks unknown, 0 wrong`,
  )
}
