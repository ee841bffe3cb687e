// Ten people in a Teams call with one mixed track: audio of one speaker is attributed, and overlapping speech is not.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Meeting } from '../../../sims/teams/teams.ts'
import {
  type AttributedCall,
  expectCameras,
  expectScreen,
  expectSpeech,
  finishCall,
  WHITE,
  wordRows,
} from '../../helpers/media/attributed-call.ts'
import { tonesIn, turnsApart } from '../../helpers/media/attribution.ts'
import { CAST, type Name, type Sent } from '../../helpers/meetings/meet-cast.ts'
import { TeamsStage } from '../../helpers/meetings/teams.ts'
import { attributedShares, TeamsCast } from '../../helpers/meetings/teams-cast.ts'
import { until } from '../../helpers/until.ts'

const LONG = 30_000
/** Tones are measured in steps of this length. */
const STEP_MS = 20
/** People whose words are recognised. Each of them speaks alone for a while. */
const ALONE: readonly Name[] = ['Ada', 'Dot', 'Eve', 'Gus']
/** A cut-off sound may be taken for a word of up to this many letters. */
const SHORT = 3
const OVERLAPPING: readonly Name[] = ['Ben', 'Cy']

async function talk({ call }: Meeting, cast: TeamsCast): Promise<readonly Sent[]> {
  const atOnce = async (act: (name: Name) => Promise<unknown>, first: Name, second: Name) => {
    await Promise.all([act(first), delay(600).then(() => act(second))])
    await delay(650)
  }
  const sounds = (name: Name) => cast.sounds(name)
  await atOnce(sounds, 'Ada', 'Ben')
  await atOnce(sounds, 'Cy', 'Dot')
  await cast.named('Ben').share(WHITE)
  await atOnce(sounds, 'Eve', 'Fay')
  await atOnce(sounds, 'Gus', 'Hal')
  // Hal returns with other sources.
  cast.named('Hal').leave()
  cast.named('Gus').mute()
  await cast.enter('Hal')
  cast.named('Gus').unmute()
  await atOnce(sounds, 'Ivy', 'Jan')
  // Not people who speak next, because turns that are close are merged.
  await atOnce(sounds, 'Hal', 'Fay')
  cast.named('Ben').stopSharing()
  for (const name of ALONE) {
    await cast.speaks(name)
    await delay(400)
  }
  await atOnce((name) => cast.speaks(name), 'Ben', 'Cy')
  expect(call.truth().every(({ toMs, fromMs }) => toMs > fromMs)).toBe(true)
  return cast.sent()
}

let stage: TeamsStage
let call: AttributedCall
let sent: readonly Sent[]

beforeAll(async () => {
  stage = await TeamsStage.open()
  const meeting = stage.meeting({ knock: 'admitted', call: { videoSlots: 3, redundantAudio: true, contributorHangMs: 100 } })
  const id = await stage.send(meeting)
  const cast = await TeamsCast.assemble(meeting.call, [...ALONE, ...OVERLAPPING])
  await stage.has(id, 'Recording')
  await until('everybody is known', async () => (await stage.read(id, 'get_participants')).length === CAST.length, 20_000)
  // A bot that has just joined is not connected yet.
  await until('two tracks are recorded', () => stage.recordingOf(id).tracks.length > 1, 20_000)
  sent = await talk(meeting, cast)
  call = await finishCall(stage, id)
}, 240_000)
afterAll(async () => {
  await call?.delivery.discard()
  await stage?.close()
})

test('attributes a tone that sounds alone to its person, and two at once to no one', { timeout: LONG }, () => {
  const sounds = call.delivery.streams.filter(({ kind }) => kind === 'audio')
  const found = tonesIn(sounds, sent, call.zeroMs)
  expect(found.filter(({ holder, name }) => holder !== name && holder !== '')).toEqual([])
  const { alone, mixed } = attributedShares(found, sent, STEP_MS)
  console.info(
    `${(100 * alone).toFixed(1)} % of single tones are attributed, ${(100 * mixed).toFixed(1)} % of overlapping ones are in the mix`,
  )
  expect(alone).toBeGreaterThanOrEqual(0.95)
  expect(mixed).toBeGreaterThanOrEqual(0.95)
})

test('reports speaker turns to within 300 ms, also where several people spoke at once', () => {
  expect(turnsApart(call.turns, sent, (name) => name)).toEqual([])
})

test('attributes every recognised word to its speaker, or to no one where two spoke', () => {
  const rows = wordRows(call, (name) => name)
  for (const { name, found } of rows) {
    // Overlapping speech is cut and may be taken for any short word, but never for a word of the other speaker.
    const others = OVERLAPPING.some((it) => it === name) ? OVERLAPPING : [...ALONE, ...OVERLAPPING]
    const isTheirs = (word: string) => CAST.some((it) => it.name !== name && others.includes(it.name) && it.own.includes(word))
    expect(
      found.filter((word) => word.length > SHORT && isTheirs(word)),
      `${name} has words of others`,
    ).toEqual([])
  }
  expectSpeech(rows.filter(({ name }) => ALONE.some((it) => it === name)))
})

test('shows only its own person in every camera’s files, in any slot', { timeout: LONG }, () => expectCameras(call, 10))
test('attributes a shared screen to its sharer', { timeout: LONG }, () => expectScreen(call))
