// Pages that process encoded frames themselves, recorded through the tap.
import { describe, expect, test } from 'vitest'
import { startCapture } from '../../../src/bot/capture/capture.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { filesOf, openCaptureFixture, shows, tracksIn } from '../../helpers/media/capture-fixture.ts'
import { PEOPLE } from '../../helpers/media/capture-page.ts'
import { pictures, sound } from '../../helpers/media/recorded-media.ts'
import { until } from '../../helpers/until.ts'

const stage = openForFile(openCaptureFixture)

/** `unshared` has no shared workers, so the tap connects without its relay. */
const STYLES = ['subclass', 'iframe', 'transform', 'streams', 'kept-transform', 'kept-streams', 'unshared'] as const
describe.each(STYLES)('a page of style "%s"', (style) => {
  test('is recorded behind its own transform', async () => {
    const folder = stage.newFolder()
    const capture = await startCapture({ folder, session: 1, video: true })
    await capture.begin()
    // Only two participants: no sender can packetise scrambled H.264.
    const isUnshared = style === 'unshared'
    const page = await stage.enter(
      (isUnshared ? 'delete globalThis.SharedWorker;' : '') + capture.initScript,
      isUnshared ? 'plain' : style,
      2,
    )
    await page.evaluate('speak(true)')
    await until('frames flow', () => Object.values(capture.health().sources).filter(({ frames }) => frames > 30).length === 4, 15_000)
    await until('sources are named', () => Object.values(capture.health().sources).every(({ info }) => !info.id.startsWith('ssrc:')))
    // The page's decoder runs behind the tap, so it decodes a frame later, and much later on a busy machine.
    const decodes = async () => {
      const inbound = await page.evaluate<{ kind: string; framesDecoded?: number }[]>('inbound()')
      return inbound.filter(({ kind }) => kind === 'video').filter(({ framesDecoded = 0 }) => framesDecoded > 10).length
    }
    const keeps = style.startsWith('kept')
    if (!keeps) await until('the page decodes both pictures', async () => (await decodes()) === 2, 15_000)
    if (keeps) expect(await decodes()).toBe(0)
    await page.context().close()
    const named = Object.values(capture.health().sources).filter(({ frames }) => frames > 0)
    await capture.end('left')

    expect(named.map(({ info }) => info.id)).toEqual(named.map(() => expect.stringMatching(/^[0-9a-f-]{36}$/)))
    for (const { codec, colour } of PEOPLE.slice(0, 2)) {
      const track = tracksIn(folder).find((each) => each.codec === codec.toLowerCase())
      const seen = filesOf(folder, track).flatMap(pictures)
      expect(shows(seen, colour)).toBeGreaterThan(5)
    }
    const tones = tracksIn(folder)
      .filter(({ kind }) => kind === 'audio')
      .map((track) => {
        const recorded = sound(filesOf(folder, track)[0] ?? '')
        return PEOPLE.filter(({ toneHz }) => recorded.at(toneHz, recorded.startMs + 300, recorded.startMs + recorded.lengthMs) > 0.05).map(
          ({ name }) => name,
        )
      })
    expect(tones.flat().sort()).toEqual(['ann', 'bob'])
  })
})

test('records a page that alternates between keeping frames and writing them back, without a gap', async () => {
  const folder = stage.newFolder()
  const capture = await startCapture({ folder, session: 1, video: true })
  await capture.begin()
  const page = await stage.enter(capture.initScript, 'turns', 1)
  await page.evaluate('speak(true)')
  const soundIn = () => Object.values(capture.health().sources).find(({ kind }) => kind === 'audio')
  await until('nine seconds are there', () => (soundIn()?.frames ?? 0) > 450, 20_000)
  const { dropped = -1 } = soundIn() ?? {}
  await page.context().close()
  await capture.end('left')
  const audio = tracksIn(folder).find(({ kind }) => kind === 'audio')
  const { toneHz } = PEOPLE[0] ?? { toneHz: 0 }
  expect(dropped).toBe(0)
  const windows = filesOf(folder, audio).flatMap((file) => {
    const recorded = sound(file)
    return Array.from({ length: Math.floor(recorded.lengthMs / 200) }, (_, at) =>
      recorded.at(toneHz, recorded.startMs + at * 200, recorded.startMs + (at + 1) * 200),
    )
  })
  expect(windows.length).toBeGreaterThan(35)
  // The tone starts and ends within a window.
  expect(windows.filter((loudness) => loudness < 0.1).length).toBeLessThan(4)
}, 40_000)

test('falls back to MediaRecorder without encoded frames, and reports it', async () => {
  const folder = stage.newFolder()
  const capture = await startCapture({ folder, session: 1, video: true, encoded: false })
  await capture.begin()
  const page = await stage.enter(capture.initScript, 'plain', 1)
  await page.evaluate('speak(true)')
  await until('chunks flow', () => Object.values(capture.health().sources).filter(({ frames }) => frames >= 3).length === 2, 15_000)
  const ways = Object.values(capture.health().sources).map(({ info }) => info.way)
  await page.context().close()
  await capture.end('left')
  expect(ways).toEqual(['recorder', 'recorder'])
  const ann = PEOPLE[0] ?? { toneHz: 0, colour: [] }
  for (const track of tracksIn(folder)) {
    const file = filesOf(folder, track)[0] ?? ''
    if (track.kind === 'audio') expect(sound(file).firstMs(ann.toneHz)).not.toBeNull()
    else expect(shows(pictures(file), ann.colour)).toBeGreaterThan(10)
  }
})
