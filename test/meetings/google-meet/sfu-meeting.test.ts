// A meeting in the simulated Google Meet, as a page in a real browser receives it.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMeetSpace } from '../../../sims/google-meet/sfu/space.ts'
import type { MeetSpace, ScriptedPerson } from '../../../sims/google-meet/sfu/types.ts'
import { launchBrowser } from '../../../sims/room/people.ts'
import { spoken } from '../../../sims/speech/espeak.ts'
import { ONE_PATH } from '../../../sims/webrtc/peer.ts'
import { openForFile } from '../../helpers/for-file.ts'
import * as sfuPage from '../../helpers/meetings/meet-sfu-page.ts'
import { until } from '../../helpers/until.ts'

const { collectionsOf, framesOf, hum, inside, numberIn, parse, sightOf, sourcesOf, textIn } = sfuPage
const OPUS_TYPE = 111
const [RED, GREEN, BLUE, YELLOW] = ['#dc1e1e', '#1ec81e', '#283cdc', '#f2d024']

const server = openForFile(() => sfuPage.servePage())
const browser = openForFile(() => launchBrowser([ONE_PATH]))

const isNear = (rgb: readonly number[] | undefined, colour: string) =>
  rgb?.every((value, index) => Math.abs(value - Number.parseInt(colour.slice(1 + 2 * index, 3 + 2 * index), 16)) < 16) ?? false

describe('a meeting with speech, video, chat and captions', () => {
  let space: MeetSpace
  let page: Page
  let self: string
  let ann: ScriptedPerson
  let bob: ScriptedPerson
  let eve: ScriptedPerson

  const users = async () => (await collectionsOf(page)).flatMap((it) => inside(it, 1, 2, 13, 1, 2))
  const userOf = async (deviceId: string) => (await users()).findLast((it) => textIn(it, 1) === deviceId)
  const outputs = async () => (await collectionsOf(page)).flatMap((it) => inside(it, 1, 2, 3, 2))
  const outputOf = async (deviceId: string, type: 1 | 2) =>
    (await outputs()).findLast((it) => textIn(it, 6) === deviceId && numberIn(it, 2) === type)
  const streamOf = async (deviceId: string) => textIn(await outputOf(deviceId, 2), 4)
  const shows = async (deviceId: string, colour: string) => {
    const stream = await streamOf(deviceId)
    return stream !== undefined && isNear((await sightOf(page, stream))?.rgb, colour)
  }
  const inSync = () => inside(parse(Buffer.from(space.syncReply(self), 'base64')), 2, 2, 2).map((it) => [textIn(it, 2), numberIn(it, 4)])

  beforeAll(async () => {
    const delay = ({ about, name }: { about: string; name: string }) => (name !== 'Eve' ? 0 : about === 'audio' ? null : 300)
    const sources = (own: number, index: number) => [[], [own, 42], [42]][index % 10] ?? [own]
    space = createMeetSpace({ dtx: true, videoSlots: 2, delay, sources })
    ann = await space.join({ name: 'Ann Ray', displayName: 'Ann', host: true, picture: 'https://lh3.example/ann', colour: RED })
    bob = await space.join({ name: 'Bob', colour: GREEN })
    self = space.newDeviceId()
    page = await sfuPage.visit(browser, server.url, { space, reading: 'streams', slots: 3, deviceId: self })
    eve = await space.join({ name: 'Eve', colour: BLUE })
  })
  afterAll(() => space?.close())

  test('sends a roster that names everybody and marks the page itself', async () => {
    const first = await until('the host is told', () => userOf(ann.deviceId))
    expect([2, 3, 29].map((field) => textIn(first, field))).toEqual(['Ann Ray', 'https://lh3.example/ann', 'Ann'])
    expect([4, 34].map((field) => numberIn(first, field))).toEqual([1, 1])
    expect(ann.deviceId).toMatch(/^spaces\/[\w-]+\/devices\/\d+$/)
    expect((await users()).filter((it) => it.has(7)).map((it) => textIn(it, 1))).toEqual([self])
    expect(inSync()).toEqual([
      ['Ann Ray', 1],
      ['Bob', 1],
      ['Notes', 1],
      ['Eve', 1],
    ])
    // People whose entry arrives late, or who have no audio entry.
    await until('the late one is told', () => userOf(eve.deviceId))
    expect(await outputOf(eve.deviceId, 1)).toBeUndefined()
  })

  test('sends speech under its speaker’s CSRC, and nothing in between', async () => {
    const said = await ann.say(await spoken('The quick brown fox jumps over the lazy dog.', 'en-us'), 'the fox')
    const own = ann.source()
    expect(textIn(await outputOf(ann.deviceId, 1), 4)).toBe(String(own))
    const microphone = space.receivedAudio().packets
    const packetsBefore = microphone.length
    await until('half a second has passed', () => microphone.length > packetsBefore + 25)
    const frames = await framesOf(page)
    expect(new Set(frames.map(({ payloadType }) => payloadType))).toEqual(new Set([OPUS_TYPE]))
    expect(new Set(frames.map(({ sources }) => String(sources)))).toEqual(new Set(['', `${own},42`, '42', String(own)]))
    expect(new Set(frames.map(({ lane }) => lane)).size).toBe(1)
    const packets = (said.toMs - said.fromMs) / 20
    expect(frames.length).toBeLessThanOrEqual(packets)
    expect(frames.length).toBeGreaterThan(packets / 2)
    const levels = (await sourcesOf(page)).filter(({ source }) => source === own).map(({ level }) => level)
    expect(Math.max(...levels)).toBeGreaterThan(0)
    expect(space.truth()).toMatchObject([{ deviceId: ann.deviceId, name: 'Ann Ray', text: 'the fox', ...said, lanes: [{ lane: 0 }] }])
  })

  test('shows in each stream the person that the server names, and shows the speaker', async () => {
    await until('two are shown', async () => (await shows(ann.deviceId, RED)) && (await shows(bob.deviceId, GREEN)))
    const unseen = await until('the third is told of', () => outputOf(eve.deviceId, 2))
    expect(textIn(unseen, 4)).toBeUndefined()
    await eve.say(hum(-12, 0.4))
    // Ann spoke and Bob did not.
    await until('the speaker is shown', () => shows(eve.deviceId, BLUE))
    expect(await streamOf(bob.deviceId)).toBeUndefined()
    expect(await shows(ann.deviceId, RED)).toBe(true)
  })

  test('changes the size of a video in the middle of its stream', async () => {
    const stream = (await streamOf(ann.deviceId)) ?? ''
    expect(await sightOf(page, stream)).toMatchObject({ width: 320, height: 180 })
    await ann.resize({ width: 640, height: 360 })
    await until('it is larger', async () => (await sightOf(page, stream))?.width === 640)
    expect(await shows(ann.deviceId, RED)).toBe(true)
  })

  test('frees the slot of a camera that is turned off, and reports it as off', async () => {
    ann.stopCamera()
    await until('the next one is shown', () => shows(bob.deviceId, GREEN))
    const [flag] = inside((await outputOf(ann.deviceId, 2)) ?? new Map(), 10)
    expect(numberIn(flag, 1)).toBe(1)
  })

  test('reports a shared screen as a user of its own', async () => {
    const screen = await bob.share(YELLOW)
    await until('it is shown', () => shows(screen, YELLOW))
    expect(textIn(await userOf(screen), 21)).toBe(bob.deviceId)
    bob.stopSharing()
    expect(inSync()).toHaveLength(4)
  })

  test('reports a mute, and may change the CSRC afterwards', async () => {
    const before = bob.source()
    bob.mute()
    await until('the list names it', async () => numberIn(inside((await outputOf(bob.deviceId, 1)) ?? new Map(), 10)[0], 1) === 1)
    bob.unmute({ newSource: true })
    expect(bob.source()).not.toBe(before)
    await until('the new one is told', async () => textIn(await outputOf(bob.deviceId, 1), 4) === String(bob.source()))
    ann.mute()
    const unsaid = await ann.say(hum(-18, 1))
    expect(unsaid.toMs).toBe(unsaid.fromMs)
    ann.unmute({ newSource: before })
    expect(ann.source()).toBe(before)
  })

  test('sends chat to everybody, including the page that wrote it', async () => {
    ann.write('Hello 👋')
    space.chatFromBot('I take notes.')
    const lines = await until('both are told', async () => {
      const all = (await collectionsOf(page)).flatMap((it) => inside(it, 1, 2, 13, 4, 2))
      return all.length === 2 ? all : null
    })
    expect(lines.map((it) => [textIn(it, 2), textIn(inside(it, 5)[0], 1)])).toEqual([
      [ann.deviceId, 'Hello 👋'],
      [self, 'I take notes.'],
    ])
    expect(numberIn(lines[0], 3)).toBe(space.chat()[0]?.atMs)
    expect(new Set(lines.map((it) => textIn(it, 1))).size).toBe(2)
  })

  test('sends captions over the channel that the page opened', async () => {
    bob.caption({ text: 'Good', captionId: 7 })
    bob.caption({ text: 'Good morning', captionId: 7, version: 2, final: true })
    const captions = await until('both are told', async () => {
      const all = await page.evaluate<number[][]>('captions')
      return all.length === 2 ? all.flatMap((bytes) => inside(parse(Buffer.from(bytes)), 1)) : null
    })
    expect(captions.map((it) => [textIn(it, 1), textIn(it, 6)])).toEqual([
      [bob.deviceId, 'Good'],
      [bob.deviceId, 'Good morning'],
    ])
    expect(captions.map((it) => [2, 3, 4, 8].map((field) => numberIn(it, field)))).toEqual([
      [7, 1, 0, 1],
      [7, 2, 1, 1],
    ])
  })

  test('receives the audio and video of the page', async () => {
    const listenFrom = Date.now()
    await until('a while is heard', () => space.receivedAudio().packets.filter(({ atMs }) => atMs > listenFrom).length > 50)
    const tone = await space.receivedAudio().tone(listenFrom)
    expect(Math.abs((tone?.hz ?? 0) - 700)).toBeLessThan(10)
    expect(tone?.amplitude).toBeCloseTo(0.25, 1)
    await until('it is green', async () => isNear((await space.receivedVideo().look())?.rgb, '#00c000'))
    await page.evaluate("speak(false), paint = '#c00000'")
    await until('it is silent', () => (space.receivedAudio().packets.at(-1)?.level ?? 0) > 90)
    await until('it is red', async () => isNear((await space.receivedVideo().look())?.rgb, '#c00000'))
  })

  test('omits a person who left from the next full list, and notifies a page that it removes', async () => {
    eve.leave()
    space.remove(bob.deviceId)
    await until('the list names it', async () => numberIn(await userOf(bob.deviceId), 4) === 7)
    expect(numberIn(await userOf(eve.deviceId), 4)).toBe(1)
    expect(inSync()).toEqual([
      ['Ann Ray', 1],
      ['Notes', 1],
    ])
    space.remove(self)
    await until('the page is notified', async () => numberIn(await userOf(self), 4) === 7)
    expect(space.visitors()).toEqual([])
  })

  test('keeps the meeting running when a page disconnects or reconnects', async () => {
    await page.close()
    page = await sfuPage.visit(browser, server.url, { space, reading: 'streams', slots: 3, deviceId: self })
    await until('the page has the whole state again', async () => (await userOf(ann.deviceId)) && (await userOf(self)))
    expect(space.visitors()).toEqual([self])
    await page.close()
    await ann.say(hum(-18, 0.5))
    space.visitorLeft(self)
    expect(inSync()).toEqual([['Ann Ray', 1]])
  })
})
