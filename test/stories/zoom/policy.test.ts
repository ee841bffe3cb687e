// The page of a Zoom bot works under its own headers, without the driver's bypass of the content security policy.
import { expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { ZoomBench } from '../../helpers/meetings/zoom.ts'
import { openUnderPolicy } from '../../helpers/meetings/zoom-bot-page.ts'
import { until } from '../../helpers/until.ts'

const LONG = { timeout: 60_000 }
const SOON = 20_000

const bench = openForFile(() => ZoomBench.open({ sendsToItself: true }), 60_000)

test.each(['separate', 'wasm'] as const)('joins and receives media as %s without a violation of its policy', LONG, async (media) => {
  const meeting = bench.meeting({ media })
  const ann = await meeting.call.join({ name: 'Ann', host: true, voice: 440, colour: '#dc1e1e' })
  const { page, reports, violations } = await openUnderPolicy(bench.browser, bench.zoom, bench.sdk, meeting)
  await until('it is inside', () => reports.some((it) => it.kind === 'place' && it.place === 'inside'), SOON)
  const streams = () => reports.findLast((it) => it.kind === 'tracks')?.tracks.map(({ streamId }) => streamId) ?? []
  await until('the camera of Ann has a track', () => streams().some((it) => it.startsWith(`${ann.userId}+CS+`)), SOON)
  expect(violations).toEqual([])
  expect(await page.evaluate('crossOriginIsolated')).toBe(true)
})

test('blocks addresses that its policy does not name', LONG, async () => {
  const { page, violations } = await openUnderPolicy(bench.browser, bench.zoom, bench.sdk, bench.meeting())
  const load =
    "new Promise((done) => Object.assign(new Image(), { onload: () => done(true), onerror: () => done(false), src: 'https://127.0.0.1:9/a.png' }))"
  expect(await page.evaluate(load)).toBe(false)
  await until('the violation is reported', () => violations.includes('img-src https://127.0.0.1:9/a.png'), SOON)
})
