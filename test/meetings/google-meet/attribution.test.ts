// Ten people in a Google Meet call whose speakers keep changing lanes: their audio and video must be attributed to them alone.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Meeting, Scenario } from '../../../sims/google-meet/meet.ts'
import type { SpaceOptions } from '../../../sims/google-meet/sfu/types.ts'
import {
  type AttributedCall,
  expectCameras,
  expectScreen,
  expectSpeech,
  finishCall,
  WHITE,
  wordRows,
} from '../../helpers/media/attributed-call.ts'
import { attributedShare, nameOf, tonesIn, turnsApart } from '../../helpers/media/attribution.ts'
import { MeetStage } from '../../helpers/meetings/google-meet.ts'
import { CAST, Cast, type Name, type Sent, SPACE } from '../../helpers/meetings/meet-cast.ts'
import { until } from '../../helpers/until.ts'

const LARGE = { width: 640, height: 360 }
const LONG = 30_000

type Path = {
  readonly path: string
  readonly scenario: Partial<Scenario>
  /** How the meeting names who speaks. */
  readonly names: SpaceOptions
  readonly changes: boolean
}

const PATHS: readonly Path[] = [
  { path: 'on which the browser decodes', scenario: {}, names: {}, changes: false },
  {
    path: 'on which the page decodes',
    scenario: { media: 'neteq' },
    names: { outputsAt: 'deeper', speakersBy: 'nothing' },
    changes: false,
  },
  { path: 'that changes while they speak', scenario: { takesFrames: 'always' }, names: { outputsAt: 'elsewhere' }, changes: true },
]

/** At most three speakers at once, then enough silence for their lanes to become free. */
async function atOnce(act: (name: Name) => Promise<unknown>, ...names: readonly Name[]): Promise<void> {
  await Promise.all(names.map(async (name, index) => delay(index * 200).then(() => act(name))))
  await delay(650)
}

/** `change` switches the media path in the middle of the next sound. */
async function talk({ space }: Meeting, cast: Cast, change: () => void): Promise<readonly Sent[]> {
  const [sounds, speaks] = [(name: Name) => cast.sounds(name), (name: Name) => cast.speaks(name)]
  change()
  await atOnce(sounds, 'Ada', 'Ben', 'Cy')
  await atOnce(sounds, 'Dot', 'Eve', 'Fay')
  await cast.named('Dot').resize(LARGE)
  change()
  await atOnce(sounds, 'Gus', 'Hal', 'Ivy')

  // Gus gets a new CSRC, and Jan the CSRC of Hal, who has just left.
  const [gus, hal, jan] = [cast.named('Gus'), cast.named('Hal'), cast.named('Jan')]
  hal.leave()
  gus.mute()
  jan.mute()
  gus.unmute({ newSource: true })
  jan.unmute({ newSource: hal.source() })
  await cast.named('Ben').share(WHITE)
  change()
  await atOnce(sounds, 'Jan', 'Gus', 'Ada')
  await cast.enter('Hal')
  await atOnce(sounds, 'Hal', 'Ivy', 'Ben')

  change()
  await atOnce(speaks, 'Ada', 'Ben', 'Cy')
  cast.named('Ben').stopSharing()
  await atOnce(speaks, 'Dot')
  await atOnce(speaks, 'Eve', 'Fay', 'Gus')
  change()
  await atOnce(speaks, 'Hal', 'Ivy', 'Jan')
  expect(space.truth().every(({ lanes }) => lanes.length > 0)).toBe(true)
  return cast.sent()
}

/** Switches to the other media path and back, each time while people speak. */
function changing(meeting: Meeting): () => void {
  let path: Scenario['media'] = 'native'
  return () => {
    path = path === 'native' ? 'neteq' : 'native'
    setTimeout(() => meeting.changeMedia(path), 500)
  }
}

describe.each(PATHS)('a call on the media path $path', ({ scenario, names, changes }) => {
  let stage: MeetStage
  let call: AttributedCall
  let sent: readonly Sent[]

  beforeAll(async () => {
    stage = await MeetStage.open()
    const meeting = stage.meeting({ knock: 'admitted', space: { ...SPACE, ...names }, ...scenario })
    const id = await stage.send(meeting)
    const cast = await Cast.assemble(meeting.space)
    await stage.has(id, 'Recording')
    await until('everybody is known', async () => (await stage.read(id, 'get_participants')).length === CAST.length, 20_000)
    // A participant that has just joined is not connected yet and may lose a syllable.
    await until('a track is recorded', () => stage.recordingOf(id).tracks.length > 0, 20_000)
    sent = await talk(meeting, cast, changes ? changing(meeting) : () => undefined)
    call = await finishCall(stage, id)
  }, 240_000)
  afterAll(async () => {
    await call?.delivery.discard()
    await stage?.close()
  })

  test('puts nearly all of every tone into its own person’s files and none into another’s', { timeout: LONG }, () => {
    const found = tonesIn(
      call.delivery.streams.filter(({ kind }) => kind === 'audio'),
      sent,
      call.zeroMs,
    )
    const tones = sent.filter(({ isTone }) => isTone)
    expect(tones.filter(({ lanes }) => lanes > 1).length, 'many of them in more than one lane').toBeGreaterThan(8)
    const length = ({ fromMs, toMs }: Sent) => toMs - fromMs
    const all = tones.reduce((sum, it) => sum + length(it), 0)
    const right = tones.reduce((sum, it) => sum + length(it) * attributedShare(found, it), 0)
    console.info(`${((100 * right) / all).toFixed(1)} % of ${(all / 1000).toFixed(1)} s of tones is attributed correctly`)
    expect(found.filter(({ holder, name }) => holder !== nameOf(name))).toEqual([])
    expect(right / all).toBeGreaterThanOrEqual(0.98)
  })

  test('reports speaker turns to within 300 ms, and unknown speakers as unknown', () => {
    expect(turnsApart(call.turns, sent)).toEqual([])
  })

  test('attributes every recognised word to its speaker', () => {
    const rows = wordRows(call, (name) => nameOf(name as Name))
    for (const { name, found } of rows) {
      const strange = found.filter((word) => CAST.some((it) => it.name !== name && it.own.includes(word)))
      expect(strange, `${name} has words of others`).toEqual([])
    }
    expect(new Set(call.segments.map(({ speaker }) => speaker))).toEqual(new Set(CAST.map(({ name }) => nameOf(name))))
    expectSpeech(rows)
  })

  test('shows only its own person in every camera’s files, in any slot and size', { timeout: LONG }, () => expectCameras(call, 20))
  test('attributes a shared screen to its sharer', { timeout: LONG }, () => expectScreen(call))
})
