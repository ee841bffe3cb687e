// The messages that the page of the simulated Microsoft Teams receives on its socket, data channel and chat.
import { expect, test } from 'vitest'
import type { Scenario } from '../../../sims/teams/teams.ts'
import { wav } from '../../helpers/callers/files-server.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { askToJoin, eventually, loudnessAt, openTeams, type Visited } from '../../helpers/meetings/teams-page.ts'
import { channelOf, chatBatches, contributorsOf, framesOf, type TrouterFrame } from '../../helpers/meetings/teams-protocol.ts'

const LONG = { timeout: 90_000 }
/** In units of 100 ns since 1900. */
const UNIX_EPOCH_MS = 2_208_988_800_000

const browser = openForFile(openTeams)

type Joined = Visited & { readonly frames: readonly TrouterFrame[] }

async function joined(
  scenario: Partial<Scenario> = {},
  before: (visited: Visited) => Promise<unknown> = async () => null,
): Promise<Joined> {
  const { meeting, page } = await browser.prepare({ knock: 'admitted', ...scenario })
  await before({ meeting, page })
  const frames = framesOf(page)
  await page.goto(meeting.url)
  await askToJoin(page)
  await page.locator('#callingButtons-showMoreBtn').waitFor()
  await eventually('the media is there', () => meeting.state() !== null)
  return { meeting, page, frames }
}

function namesIn(frames: readonly TrouterFrame[], state = 'active'): readonly string[] {
  const entries = frames.flatMap(({ body }) => Object.values(body.participants ?? {}))
  return entries.filter((it) => it.state === state).map(({ details }) => details.displayName)
}

const ends = (frames: readonly TrouterFrame[]) => frames.filter(({ url }) => url.endsWith('conversation/conversationEnd/'))

test('sends late joins as changes, and everybody in the snapshot', LONG, async () => {
  const snapshots: { readonly participants: Readonly<Record<string, { readonly details: { readonly displayName: string } }>> }[] = []
  const { meeting, page, frames } = await joined({ firstRoster: 'changes' }, async ({ meeting: early, page: tab }) => {
    await early.call.join({ name: 'Ann Lee', role: 'organizer' })
    tab.on('response', async (response) => {
      if (/flightproxy.*\/conv\//.test(response.url())) snapshots.push(await response.json())
    })
  })
  const snapshot = await eventually('the snapshot is there', () => snapshots[0])
  expect(Object.values(snapshot.participants).map(({ details }) => details.displayName)).toContain('Ann Lee')
  const ben = await meeting.call.join({ name: 'Ben', kind: 'guest' })
  await page.locator('[data-tid="participant-info-nametag"]').getByText('Ben (Guest)').waitFor()
  expect(new Set(namesIn(frames))).toEqual(new Set(['Notetaker', 'Ben']))
  expect(frames.every(({ headers }) => headers['X-Microsoft-Skype-Chain-ID'] === meeting.callId)).toBe(true)

  const stranger = {
    details: { id: '8:orgid:other', displayName: 'Room Two' },
    state: 'active',
    meetingRole: 'attendee',
    endpoints: {},
  } as const
  meeting.leakRoster({ participants: { other: stranger } }, 'another-call')
  ben.leave()
  await page.locator('[data-tid="Ben"]').waitFor({ state: 'detached' })
  expect(namesIn(frames, 'inactive')).toEqual(['Ben'])
  expect(namesIn(frames)).toContain('Room Two')
  expect(await page.locator('[data-tid="Room Two"]').count()).toBe(0)
  await page.locator('#roster-button').click()
  const rows = page.locator('[role="tree"][aria-label="Attendees"] [data-cid="roster-participant"]')
  expect((await rows.evaluateAll((all) => all.map((it) => it.getAttribute('aria-label')))).toSorted()).toEqual([
    'Ann Lee, Organizer, unmuted',
    'Notetaker (Unverified), Attendee, muted',
  ])
})

test('sends the whole roster first, and again with the media', LONG, async () => {
  const { frames } = await joined({}, ({ meeting }) => meeting.call.join({ name: 'Ann Lee' }))
  await eventually('Ann is in two frames', () => namesIn(frames).filter((name) => name === 'Ann Lee').length >= 2)
})

test('names a speaker as CSRC without a level, as dominant speaker, and by an outline', LONG, async () => {
  const { meeting, page } = await joined()
  const ann = await meeting.call.join({ name: 'Ann Lee', voice: 440 })
  await eventually(
    'Ann is the only source',
    async () => JSON.stringify(await contributorsOf(page)) === JSON.stringify([{ source: ann.audioSource, hasLevel: false }]),
  )
  await page.locator('[data-tid="Ann Lee"] [data-tid="voice-level-stream-outline"].vdi-frame-occlusion').waitFor()
  const ben = await meeting.call.join({ name: 'Ben', voice: 1_000 })
  const both = [ann.audioSource, ben.audioSource].toSorted()
  await eventually(
    'both are sources',
    async () =>
      (await contributorsOf(page))
        .map(({ source }) => source)
        .toSorted()
        .join() === both.join(),
  )
  ann.mute()
  const dominant = async () =>
    (await channelOf(page)).received.flatMap((it) => (Array.isArray(it) ? it : [])).flatMap((it) => it.history?.[0] ?? [])
  await eventually('Ben is dominant', async () => (await dominant()).at(-1) === ben.audioSource)
  expect(await dominant()).toEqual([ann.audioSource, ben.audioSource])
  const globals = await page.evaluate<boolean[]>(
    `callingDebug.observableCall.participants.map((it) => [it.hasAudioSource(${ann.audioSource}), it.isServerMuted]).find(([own]) => own)`,
  )
  expect(globals).toEqual([true, true])
})

test('names speakers by captions only in the variant without CSRCs, also behind one room microphone', LONG, async () => {
  const { meeting, page } = await joined({
    call: { contributors: 'none', dominantSpeakers: 'none', redundantAudio: true },
    outline: 'none',
    globals: 'msteamscalling',
  })
  const room = await meeting.call.join({ name: 'Room 5' })
  await page.evaluate('msteamscalling.deref().callingService.getActiveCall().startClosedCaption()')
  await eventually('captions are on', () => meeting.state()?.captions)
  const tone = await meeting.call.join({ name: 'Ann Lee', voice: 600 })
  await eventually('Ann is heard', async () => ((await loudnessAt(page, [600]))[0] ?? -200) > -45)
  expect(await contributorsOf(page)).toEqual([])
  tone.mute()
  const { fromMs, toMs } = await room.say(wav(800, 1), 'We are two people')
  room.caption({ text: 'Speaking', speakerId: '5f0c@local' })
  const results = async () => (await channelOf(page)).received.flatMap((it) => (Array.isArray(it) ? [] : it.recognitionResults))
  await eventually('all captions are there', async () => (await results()).length === 3)
  const [interim, final, local] = await results()
  expect(interim).toMatchObject({ userId: room.id, text: 'We are', isFinal: false })
  expect(final).toMatchObject({ userId: room.id, text: 'We are two people', isFinal: true, duration: (toMs - fromMs) * 10_000 })
  expect((final?.timestampAudioSent ?? 0) / 10_000 - UNIX_EPOCH_MS).toBeCloseTo(fromMs, -1)
  expect(local).toMatchObject({ userId: '5f0c@local', text: 'Speaking' })
  expect((await channelOf(page)).received.filter((it) => Array.isArray(it))).toEqual([])
  expect(await page.locator('[data-tid="voice-level-stream-outline"]').count()).toBe(0)
})

test('subscribes to cameras by source id, and gives slots to dominant speakers', LONG, async () => {
  const { meeting, page } = await joined({ call: { videoSlots: 2 } })
  const people = []
  for (const name of ['Ann', 'Ben', 'Cy']) people.push(await meeting.call.join({ name, colour: '#dc1e1e' }))
  const [ann, ben, cy] = people
  const shown = () => new Set(meeting.call.subscriptions().values())
  await eventually('the first two are subscribed', () => shown().has(ann?.videoSource ?? 0) && shown().has(ben?.videoSource ?? 0))
  await cy?.say(wav(700, 1))
  await eventually('Cy has a place', () => shown().has(cy?.videoSource ?? 0))
  expect(shown().size).toBe(2)
  const { sent } = await channelOf(page)
  const requests = sent.flat().map(({ type, controlVideoStreaming }) => ({ type, ...controlVideoStreaming?.controlInfo }))
  expect(requests.at(-2)).toMatchObject({ type: 'sr', sourceId: -1 })
  expect(requests.at(-1)).toMatchObject({ type: 'sr', sourceId: cy?.videoSource, streamMsid: requests.at(-2)?.streamMsid })
})

test('sends chat in batches to a bound function, mixed with other items', LONG, async () => {
  const { meeting, page } = await joined({ chatSleepsAfterMs: 60_000 })
  const ann = await meeting.call.join({ name: 'Ann Lee' })
  ann.write('<p>Hello</p>')
  const messages = async () => (await chatBatches(page)).flatMap((batch) => batch.chatServiceBatchEvent.map(({ message }) => message))
  await eventually('both have come', async () => (await messages()).length === 2)
  expect((await messages()).map(({ messageType }) => messageType)).toEqual(['ThreadActivity/AddMember', 'RichText/Html'])
  expect((await messages())[1]).toMatchObject({ from: ann.id, imDisplayName: 'Ann Lee', content: '<p>Hello</p>' })
})

test('holds the chat of an idle tab back until the mouse moves', LONG, async () => {
  const { meeting, page } = await joined({ chatSleepsAfterMs: 0 })
  const ann = await meeting.call.join({ name: 'Ann Lee' })
  const held = page.waitForEvent('console', { predicate: (line) => line.text() === 'chat: held RichText/Html' })
  ann.write('<p>Hello</p>')
  await held
  const texts = async () => JSON.stringify(await chatBatches(page))
  expect(await texts()).not.toContain('Hello')
  await page.mouse.move(300, 300)
  await eventually('the message has come', async () => (await texts()).includes('Hello'))
})

test.each(['plain', 'packed'] as const)('names the remover in a %s body', LONG, async (endBody) => {
  const { meeting, page, frames } = await joined({ endBody, removedCode: 5000 })
  const ann = await meeting.call.join({ name: 'Ann Lee', role: 'organizer' })
  meeting.remove(ann)
  await page.locator('#calling-retry-screen-title').getByText("You've been removed from this meeting").waitFor()
  expect(ends(frames)).toMatchObject([
    { isPacked: endBody === 'packed', body: { subCode: 5000, sender: { id: ann.id, displayName: 'Ann Lee' } } },
  ])
})

test('sends the end of a call without a sender, and a departure with the participant’s own id', LONG, async () => {
  const first = await joined()
  const [own] = first.meeting.inside()
  await first.page.locator('#hangup-button').click()
  await eventually('the end is sent', () => ends(first.frames).length > 0)
  expect(ends(first.frames)).toMatchObject([{ body: { sender: { id: own?.id } } }])
  const second = await joined()
  second.meeting.end()
  await eventually('the end is sent', () => ends(second.frames).length > 0)
  expect(ends(second.frames)[0]?.body).not.toHaveProperty('sender')
})
