/// <reference lib="dom" />
// The media paths of the simulated Google Meet, as a plain page uses them.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Scenario } from '../../../sims/google-meet/meet.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { askToJoin, loudnessAt, openStreet, seesColour, type Visited } from '../../helpers/meetings/meet-page.ts'
import { until } from '../../helpers/until.ts'

const RED = [220, 30, 30]

const street = openForFile(openStreet)

/** How the page uses its receivers, recorded before its own code runs. */
const NOTES = `
  window.receivers = new Set()
  window.worklets = []
  const { addTransceiver } = RTCPeerConnection.prototype
  RTCPeerConnection.prototype.addTransceiver = function (...args) {
    const transceiver = addTransceiver.apply(this, args)
    if (args[0] === 'audio' && args[1]?.direction === 'recvonly') window.receivers.add(transceiver.receiver)
    return transceiver
  }
  window.AudioWorkletNode = new Proxy(AudioWorkletNode, {
    construct: (target, args) => { window.worklets.push(args[1]); return Reflect.construct(target, args) },
  })`

async function joined(scenario: Partial<Scenario>): Promise<Visited> {
  const visited = await street.visit({ knock: 'admitted', ...scenario }, '?hl=en', NOTES)
  await visited.meeting.space.join({ name: 'Ann Lee', colour: '#dc1e1e', voice: 440 })
  await askToJoin(visited.page)
  await visited.page.locator('[data-self-name]').waitFor()
  return visited
}

const isAudible = async (page: Page) => (await loudnessAt(page, 440)) > -45 && (await loudnessAt(page, 1_500)) < -60
const sourcesIn = (page: Page) =>
  page.evaluate(() => [...(Reflect.get(window, 'receivers') as Set<RTCRtpReceiver>)].flatMap((it) => it.getContributingSources()).length)
const workletsIn = (page: Page) => page.evaluate<string[]>('worklets')
const playedIn = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll('audio')].filter((it) => it.srcObject instanceof MediaStream).length)
const hasBorder = (page: Page) =>
  until('Ann has a border', () =>
    page.evaluate(() => [...document.querySelectorAll('[data-audio-level]')].some((it) => Number(it.getAttribute('data-audio-level')) > 0)),
  )

test('plays three lanes in the browser on the native path, with their CSRCs', async () => {
  const { page } = await joined({})
  await until('Ann is heard', () => isAudible(page), 15_000)
  expect(await playedIn(page)).toBe(3)
  expect(await sourcesIn(page)).toBeGreaterThan(0)
  expect(await workletsIn(page)).toEqual([])
})

test.each(['at_once', 'asked_for'] as const)('plays one track when the page takes its frames, with streams %s', async (encodedStreams) => {
  const { page } = await joined({ media: 'neteq', encodedStreams, space: { red: true } })
  await until('Ann is heard', () => isAudible(page), 15_000)
  await seesColour(page, 'Ann Lee', RED)
  await hasBorder(page)
  expect(await playedIn(page)).toBe(1)
  expect(await sourcesIn(page)).toBe(0)
  expect(await workletsIn(page)).toEqual([expect.stringContaining('neteq')])
})

test.each(['when_needed', 'always'] as const)('changes the media path and back when the page takes its frames %s', async (takesFrames) => {
  const { meeting, page } = await joined({ takesFrames })
  await until('Ann is heard', () => isAudible(page), 15_000)
  meeting.changeMedia('neteq')
  await until('it plays one track', async () => (await playedIn(page)) === 1, 15_000)
  await until('Ann is heard', () => isAudible(page), 15_000)
  meeting.changeMedia('native')
  await until('it plays three lanes', async () => (await playedIn(page)) === 3, 15_000)
  await until('Ann is heard', () => isAudible(page), 15_000)
  await seesColour(page, 'Ann Lee', RED)
})
