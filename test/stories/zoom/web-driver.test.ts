// The events of the driver in a call of Zoom's web client: participants, tracks, speakers, chat, captions, and the end.
import { expect, test } from 'vitest'
import type { Differences } from '../../../sims/zoom/zoom.ts'
import { openForFile } from '../../helpers/for-file.ts'
import {
  ENDINGS,
  type JoinedCall,
  joinCall,
  noticesJoinWhileOffline,
  reportsCaptions,
  reportsPerson,
  turnsMicrophoneOnAndOff,
} from '../../helpers/meetings/zoom-call.ts'
import { ZoomWebBench } from '../../helpers/meetings/zoom-web.ts'
import { until } from '../../helpers/until.ts'

const LONG = { timeout: 120_000 }
const SOON = 30_000

const bench = openForFile(() => ZoomWebBench.open(), 60_000)

async function joined(differences: Differences = {}): Promise<JoinedCall> {
  const meeting = bench.meeting(differences)
  const call = await joinCall(meeting, await bench.driver(meeting.url), 90_000)
  expect(call.entry).toEqual({ kind: 'admitted' })
  return call
}

test('reports people, the owner of each video and a shared screen from signalling objects', LONG, async () => {
  const call = await joined({ signalling: 'object' })
  const ann = await call.meeting.call.join({ name: 'Ann', host: true, colour: '#dc1e1e' })
  await reportsPerson(call, ann, SOON)
})

test('reports the active speaker and silence, reads and writes chat, and uses its microphone', LONG, async () => {
  const call = await joined()
  const { meeting, driver, last, of, names } = call
  const ann = await meeting.call.join({ name: 'Ann', voice: 440 })
  await until('Ann is reported', () => names().includes('Ann'), SOON)
  await until('Ann speaks', () => last('voice')?.speakers.join() === String(ann.userId), SOON)
  ann.write('This meeting has been ended by host')
  await until('the line is reported', () => of('chat').length > 0, SOON)
  await driver.write('Yes, you are.')
  await driver.write('Yes, you are.')
  expect(meeting.call.chat().map(({ text }) => text)).toEqual(['This meeting has been ended by host', 'Yes, you are.', 'Yes, you are.'])
  expect(of('chat')).toMatchObject([{ from: String(ann.userId), name: 'Ann', text: 'This meeting has been ended by host' }])
  await turnsMicrophoneOnAndOff(call, SOON)
  expect(last('ended')).toBeUndefined()
})

test('turns captions on, reports them, and cannot choose their language', LONG, async () => {
  const call = await joined()
  const ann = await call.meeting.call.join({ name: 'Ann' })
  await expect(call.driver.captions('de')).rejects.toThrow('The language of the captions cannot be chosen on this platform')
  await reportsCaptions(call, ann, SOON)
})

test.each(ENDINGS)('reports the end of the call as %s', LONG, async (cause, act) => {
  const { meeting, last } = await joined()
  act(meeting)
  expect(await until('the end is reported', () => last('ended'), SOON)).toMatchObject({ cause })
})

const LEAVE = '#wc-footer [footer-section="right"] button'
const PRESS_LEAVE = `document.querySelector('${LEAVE}').click(); document.querySelector('.leave-meeting-options__btn--danger').click()`

test.each(['site', 'client'] as const)('reports the end when the page has gone to the home page of the %s', LONG, async (home) => {
  const { driver, last } = await joined({ web: { home } })
  await driver.page.run(PRESS_LEAVE)
  expect(await until('the end is reported', () => last('ended'), SOON)).toMatchObject({ cause: 'ended' })
})

test('stays in the call after a lost network, and after a return to a waiting room that only says to wait', LONG, async () => {
  const call = await joined({ lobby: 'please_wait' })
  const { meeting, names, last } = call
  await noticesJoinWhileOffline(call, 'Cy', 2 * SOON)
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
