// What a bot finds at the door of a Zoom meeting, and what it says of it. One browser for all of them.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Differences, Meeting } from '../../../sims/zoom/zoom.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import { until } from '../../helpers/until.ts'
import { ZoomBench } from '../../helpers/zoom.ts'

const LONG = { timeout: 60_000 }
const SOON = 20_000

let bench: ZoomBench
beforeAll(async () => {
  bench = await ZoomBench.open()
}, 60_000)
afterAll(() => bench?.close())

type Wish = Parameters<ZoomBench['driver']>[1]

async function sent(differences: Differences = {}, wish: Wish = {}, link?: string): Promise<{ meeting: Meeting; driver: MeetingDriver }> {
  const meeting = bench.meeting(differences)
  const driver = await bench.driver(link ?? meeting.url, wish)
  onTestFinished(() => driver.leave('at once'))
  return { meeting, driver }
}

const soon = () => AbortSignal.timeout(40_000)

test('is let in at once, and says that it must ask to record', LONG, async () => {
  const { meeting, driver } = await sent()
  expect(await driver.knock(soon())).toEqual({ kind: 'asked' })
  expect(await driver.enter(soon())).toEqual({ kind: 'admitted', asksToRecord: true })
  expect(meeting.inside().map(({ name }) => name)).toEqual(['Note taker'])
})

test('waits in the waiting room until it is admitted, or removed', LONG, async () => {
  const { meeting, driver } = await sent({ knock: 'waiting_room' })
  expect(await driver.knock(soon())).toEqual({ kind: 'asked' })
  const entered = driver.enter(soon())
  await until('it waits', () => meeting.waiting().length > 0, SOON)
  meeting.admit()
  expect(await entered).toEqual({ kind: 'admitted', asksToRecord: true })
  const other = await sent({ knock: 'waiting_room' })
  await other.driver.knock(soon())
  const refused = other.driver.enter(soon())
  await until('it waits', () => other.meeting.waiting().length > 0, SOON)
  other.meeting.remove()
  expect(await refused).toEqual({ kind: 'refused' })
})

test('waits for the host to start, and says that the meeting did not', LONG, async () => {
  const { meeting, driver } = await sent({ knock: 'not_started' })
  expect(await driver.knock(soon())).toEqual({ kind: 'asked' })
  expect(await driver.enter(AbortSignal.abort())).toEqual({ kind: 'never_admitted' })
  expect(await driver.enter(AbortSignal.timeout(1_000))).toEqual({ kind: 'never_admitted', isEarly: true })
  meeting.start()
  expect(await driver.enter(soon())).toEqual({ kind: 'admitted', asksToRecord: true })
})

describe('a join that Zoom rejects', () => {
  test.each([
    [4004, 'MeetingEnded', 'The meeting has ended'],
    [4005, 'MeetingRestricted', 'The meeting is full'],
    [4006, 'MeetingRestricted', 'The meeting is locked'],
    [3001, 'MeetingNotFound', 'The meeting does not exist'],
    [3712, 'LoginFailed', 'Features > Embed'],
    [4011, 'JoinRefused', 'zak_url or obf_url'],
    [9999, 'JoinRefused', 'SDK code 9999'],
  ])('with code %i is %s', LONG, async (code, reason, words) => {
    const { driver } = await sent({ knock: code })
    const outcome = await driver.knock(soon())
    expect(outcome).toMatchObject({ reason, message: expect.stringContaining(words) })
    expect(outcome).toMatchObject({ message: expect.stringMatching(new RegExp(`^Zoom rejected the join with SDK code ${code}: `)) })
  })

  test('because the host removed the bot before is a refusal by the host', LONG, async () => {
    const { driver } = await sent({ knock: 3009 })
    expect(await driver.knock(soon())).toEqual({ kind: 'asked' })
    expect(await driver.enter(soon())).toEqual({ kind: 'refused' })
  })

  test('because of a wrong passcode is read off the screen', LONG, async () => {
    const meeting = bench.meeting()
    const { driver } = await sent({}, {}, meeting.url.replace(/pwd=.*/, 'pwd=wrong'))
    expect(await driver.knock(soon())).toMatchObject({
      kind: 'blocked',
      reason: 'InvalidMeetingLink',
      message: expect.stringMatching(/passcode is wrong/),
    })
  })
})

test('gives up when Zoom does not answer for 60 seconds', LONG, async () => {
  const startedAt = Date.now()
  const { driver } = await sent({ knock: 'silent' }, { now: () => startedAt + 20 * (Date.now() - startedAt) })
  const outcome = driver.knock(soon())
  expect(await outcome).toMatchObject({
    kind: 'failed',
    reason: 'ConnectionLost',
    message: expect.stringMatching(/^Zoom could not be connected within 60 seconds, often because of a wrong passcode/),
  })
})

async function tokenServer(token: string, status = 200): Promise<string> {
  const server = createServer((_, answer) => answer.writeHead(status).end(token))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
}

test('joins on behalf of a user, tries again until that user is there, and goes when the user goes', LONG, async () => {
  const meeting = bench.meeting({ account: 'external' })
  const url = await tokenServer(bench.zoom.issue({ kind: 'obf', userName: 'Ann', meetingNumber: meeting.number }))
  const driver = await bench.driver(meeting.url, { token: { kind: 'obf', url } })
  onTestFinished(() => driver.leave('at once'))
  const asked = driver.knock(soon())
  await until('it has tried again', () => meeting.infos.length > 1, SOON)
  const ann = await meeting.call.join({ name: 'Ann' })
  expect(await asked).toEqual({ kind: 'asked' })
  expect(await driver.enter(soon())).toMatchObject({ kind: 'admitted' })
  ann.leave()
  const last = await lastOf(driver)
  expect(last).toMatchObject({ kind: 'ended', how: 'ended', message: 'The user who authorised the OBF token has left the meeting' })
})

test('gives up when the user never comes', LONG, async () => {
  let ahead = 0
  const meeting = bench.meeting({ account: 'external' })
  const url = await tokenServer(bench.zoom.issue({ kind: 'obf', userName: 'Ann', meetingNumber: meeting.number }))
  const driver = await bench.driver(meeting.url, { token: { kind: 'obf', url }, now: () => Date.now() + ahead })
  onTestFinished(() => driver.leave('at once'))
  const asked = driver.knock(soon())
  await until('it has tried again', () => meeting.infos.length > 1, SOON)
  ahead = 3_600_000
  expect(await asked).toMatchObject({ reason: 'MeetingNotStarted', message: expect.stringMatching(/SDK code 4017/) })
})

test('never joins as a guest where the token cannot be had', LONG, async () => {
  const url = await tokenServer('no', 400)
  const { meeting, driver } = await sent({}, { token: { kind: 'zak', url } })
  expect(await driver.knock(soon())).toMatchObject({ kind: 'failed', reason: 'TokenFetchFailed' })
  expect(meeting.infos).toEqual([])
})

async function lastOf(driver: MeetingDriver) {
  let last: unknown
  for await (const event of driver.events()) last = event
  return last
}
