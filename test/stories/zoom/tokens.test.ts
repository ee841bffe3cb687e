// How the SDK driver joins on behalf of a user. One browser for all meetings.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { ZoomBench } from '../../helpers/meetings/zoom.ts'
import { until } from '../../helpers/until.ts'

const LONG = { timeout: 60_000 }
const SOON = 20_000
/** How often the bot reads the clock during two looks at its page. */
const TWO_LOOKS = 8

const bench = openForFile(() => ZoomBench.open(), 60_000)

const soon = () => AbortSignal.timeout(40_000)

async function tokenServer(token: string, status = 200): Promise<string> {
  const server = createServer((_, answer) => answer.writeHead(status).end(token))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
}

test('retries an OBF join until the user of the token is in the meeting, and ends when the user leaves', LONG, async () => {
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
  expect(last).toMatchObject({ kind: 'ended', cause: 'ended', message: 'The user who authorised the OBF token has left the meeting' })
})

test('joins by the token of the user who is in the meeting, out of those of several users', LONG, async () => {
  const meeting = bench.meeting({ account: 'external' })
  const tokenOf = (userName: string) => bench.zoom.issue({ kind: 'obf', userName, meetingNumber: meeting.number })
  const url = await tokenServer(JSON.stringify({ tokens: ['an-invalid-token', tokenOf('Ben'), tokenOf('Ann')] }))
  await meeting.call.join({ name: 'Ann' })
  const driver = await bench.driver(meeting.url, { token: { kind: 'obf', url } })
  onTestFinished(() => driver.leave('at once'))
  expect(await driver.knock(soon())).toEqual({ kind: 'asked' })
  expect(await driver.enter(soon())).toMatchObject({ kind: 'admitted' })
  expect(meeting.infos).toHaveLength(3)
})

test('leaves when the user on whose behalf it has joined is away for ten minutes', LONG, async () => {
  let [ahead, reads] = [0, 0]
  const now = () => {
    reads++
    return Date.now() + ahead
  }
  const meeting = bench.meeting({ account: 'external', authorizerLeft: 'stays' })
  const url = await tokenServer(bench.zoom.issue({ kind: 'obf', userName: 'Ann', meetingNumber: meeting.number }))
  const ann = await meeting.call.join({ name: 'Ann' })
  const driver = await bench.driver(meeting.url, { token: { kind: 'obf', url }, now })
  onTestFinished(() => driver.leave('at once'))
  expect(await driver.knock(soon())).toEqual({ kind: 'asked' })
  expect(await driver.enter(soon())).toMatchObject({ kind: 'admitted' })
  await until('Ann is known', () => driver.attendees().others.some(({ name }) => name === 'Ann'), SOON)
  const last = lastOf(driver)
  ann.leave()
  await until('Ann is gone', () => driver.attendees().others.length === 0, SOON)
  // The first look sees that the user is away.
  for (const ms of [6_000, 601_000]) {
    ahead += ms
    const before = reads
    await until('it has looked', () => reads >= before + TWO_LOOKS, SOON).catch(() => undefined)
  }
  const message = 'The user on whose behalf the bot joined has been away for 10 minutes'
  expect(await last).toMatchObject({ kind: 'ended', cause: 'ended', message })
})

test('fails when the user of an OBF token never joins', LONG, async () => {
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

test('stays with a ZAK token after the user of the token has left', LONG, async () => {
  const meeting = bench.meeting({ account: 'external' })
  const url = await tokenServer(bench.zoom.issue({ kind: 'zak', userName: 'Ann' }))
  const driver = await bench.driver(meeting.url, { token: { kind: 'zak', url } })
  onTestFinished(() => driver.leave('at once'))
  const ann = await meeting.call.join({ name: 'Ann' })
  expect(await driver.knock(soon())).toEqual({ kind: 'asked' })
  expect(await driver.enter(soon())).toMatchObject({ kind: 'admitted' })
  await until('Ann is known', () => driver.attendees().others.some(({ name }) => name === 'Ann'), SOON)
  ann.leave()
  await until('Ann is gone', () => driver.attendees().others.length === 0, SOON)
  expect(meeting.inside()).toHaveLength(1)
})

test('never joins as a guest when the token cannot be fetched', LONG, async () => {
  const url = await tokenServer('no', 400)
  const meeting = bench.meeting()
  const driver = await bench.driver(meeting.url, { token: { kind: 'zak', url } })
  onTestFinished(() => driver.leave('at once'))
  expect(await driver.knock(soon())).toMatchObject({ kind: 'failed', reason: 'TokenFetchFailed' })
  expect(meeting.infos).toEqual([])
})

async function lastOf(driver: MeetingDriver) {
  let last: unknown
  for await (const event of driver.events()) last = event
  return last
}
