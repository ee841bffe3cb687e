// The events of the driver in a call of Zoom's web client: participants, tracks, speakers, chat, captions, and the end.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Differences } from '../../../sims/zoom/zoom.ts'
import { until } from '../../helpers/until.ts'
import { ENDINGS, type JoinedCall, joinCall } from '../../helpers/zoom-call.ts'
import { ZoomWebBench } from '../../helpers/zoom-web.ts'

const LONG = { timeout: 120_000 }
const SOON = 30_000

let bench: ZoomWebBench
beforeAll(async () => {
  bench = await ZoomWebBench.open()
}, 60_000)
afterAll(() => bench?.close())

async function joined(differences: Differences = {}): Promise<JoinedCall> {
  const meeting = bench.meeting(differences)
  const call = await joinCall(meeting, await bench.driver(meeting.url), 90_000)
  expect(call.entry).toEqual({ kind: 'admitted' })
  return call
}

test('reports people, the owner of each video and a shared screen from signalling objects', LONG, async () => {
  const { meeting, names, last } = await joined({ signalling: 'object' })
  const ann = await meeting.call.join({ name: 'Ann', host: true, colour: '#dc1e1e' })
  const shows = (kind: string) => last('tracks')?.tracks.some((it) => it.participantId === String(ann.userId) && it.kind === kind)
  await until('her camera is reported', () => shows('camera'), SOON)
  await ann.share('#f4f4f4')
  await until('her screen is reported', () => shows('screen'), SOON)
  ann.rename('Anna')
  await until('her name is reported', () => names().join() === 'Anna', SOON)
  ann.leave()
  await until('she is gone', () => names().length === 0, SOON)
})

test('reports the active speaker and silence, reads and writes chat, and uses its microphone', LONG, async () => {
  const { meeting, driver, last, of, names } = await joined()
  const ann = await meeting.call.join({ name: 'Ann', voice: 440 })
  await until('Ann is reported', () => names().includes('Ann'), SOON)
  await until('Ann speaks', () => last('voice')?.speakers.join() === String(ann.userId), SOON)
  ann.write('This meeting has been ended by host')
  await until('the line is reported', () => of('chat').length > 0, SOON)
  await driver.write('Yes, you are.')
  await driver.write('Yes, you are.')
  expect(meeting.call.chat().map(({ text }) => text)).toEqual(['This meeting has been ended by host', 'Yes, you are.', 'Yes, you are.'])
  expect(of('chat')).toMatchObject([{ from: String(ann.userId), name: 'Ann', text: 'This meeting has been ended by host' }])
  await driver.turn('microphone', true)
  await until('it is on', () => meeting.state()?.muted === false, SOON)
  await driver.turn('microphone', false)
  await until('it is off', () => meeting.state()?.muted === true, SOON)
  expect(last('ended')).toBeUndefined()
})

test('turns captions on, reports them, and cannot choose their language', LONG, async () => {
  const { meeting, driver, of } = await joined()
  const ann = await meeting.call.join({ name: 'Ann' })
  await expect(driver.captions('de')).rejects.toThrow('The language of the captions cannot be chosen on this platform')
  await driver.captions(null)
  ann.caption({ text: 'Good', final: false, captionId: 'one' })
  ann.caption({ text: 'Good morning', captionId: 'one' })
  await until('both are reported', () => of('caption').length === 2, SOON)
  expect(of('caption')).toMatchObject([
    { from: String(ann.userId), text: 'Good', final: false },
    { from: String(ann.userId), name: 'Ann', text: 'Good morning', final: true },
  ])
})

test.each(ENDINGS)('reports the end of the call as %s', LONG, async (cause, act) => {
  const { meeting, last } = await joined()
  act(meeting)
  expect(await until('the end is reported', () => last('ended'), SOON)).toMatchObject({ cause })
})

test('stays in the call after a lost network, and after a return to the waiting room', LONG, async () => {
  const { meeting, names, last } = await joined()
  meeting.dropNetwork()
  await meeting.call.join({ name: 'Cy' })
  meeting.restoreNetwork()
  await until('Cy is reported', () => names().includes('Cy'), 2 * SOON)
  meeting.hold()
  meeting.admit()
  await meeting.call.join({ name: 'Dee' })
  await until('Dee is reported', () => names().includes('Dee'), 2 * SOON)
  expect(last('ended')).toBeUndefined()
})

test('leaves by the leave button and its confirmation', LONG, async () => {
  const { meeting, driver } = await joined()
  await driver.leave('politely')
  await until('it is gone', () => meeting.inside().length === 0, SOON)
  expect(meeting.pressed.map(({ control }) => control)).toContain('leave-confirmed')
})
