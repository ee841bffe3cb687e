// A page that sends several people over one lane, through the whole of the recording: its socket, its lanes, its manifest.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { readManifest } from '../../../test/helpers/manifest.ts'
import { note, PLAIN } from '../../../test/helpers/recording-bench.ts'
import { until } from '../../../test/helpers/until.ts'
import { tracksOf } from '../../domain/recording.ts'
import { type Capture, startCapture } from './capture.ts'
import { encodeBatch, encodeControl, type WireFrame } from './wire.ts'

const [ADA, BEN, NOBODY] = [7, 8, 42]
const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** What a page would do with the script. */
async function pageOf({ initScript }: Capture): Promise<WebSocket> {
  const [url = '', token = ''] = ['url', 'token'].map((name) => new RegExp(`"${name}":"([^"]+)"`).exec(initScript)?.[1])
  const socket = new WebSocket(url)
  cleanUps.push(() => socket.terminate())
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.send(encodeControl({ type: 'hello', token, page: 'p', sentMs: performance.now() }))
  socket.send(encodeControl({ type: 'track', ...note('audio'), id: 'lane' }))
  return socket
}

test('people of one lane are tracks of their own, live and recorded; a pause and the end leave nothing behind', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'capture-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  const [heard, known]: [string[], string[]] = [[], []]
  const capture = await startCapture({
    folder,
    session: 1,
    video: false,
    ignoredSources: [NOBODY],
    onTrack: (_, it) => void known.push(it.id),
    onAudio: (source) => void heard.push(source),
  })
  await capture.begin()
  const page = await pageOf(capture)
  const startedMs = performance.now()
  let sequence = 0
  let rtpTimestamp = -960
  const send = (csrc: number): void => {
    // As a sender's clock runs: on a busy machine a packet that lags behind it would seem to be from before the pause.
    rtpTimestamp = Math.max(rtpTimestamp + 960, Math.round(48 * (performance.now() - startedMs)))
    const frame: WireFrame = {
      ...{ ...PLAIN, kind: 'audio', codec: 'opus', receivedMs: performance.now(), payload: Uint8Array.of(0x78, 1, 2) },
      ...{ csrc, rtpTimestamp, sequence: sequence++, audioLevel: 20 },
    }
    page.send(encodeBatch([frame]))
  }
  for (const csrc of [ADA, ADA, NOBODY, BEN, BEN]) send(csrc)
  await until('five packets', () => heard.length === 5)
  capture.learn([
    { track: { kind: 'csrc', csrc: ADA }, participantId: 'ada', kind: 'audio' },
    { track: { kind: 'csrc', csrc: BEN }, participantId: 'ben', kind: 'audio' },
  ])
  // One is lost, and the next waits for it until the pause.
  sequence++
  send(ADA)
  await until('six packets', () => heard.length === 6)
  capture.pause()
  capture.resume()
  const resumedMs = capture.nowMs()
  // The packets before came in a burst, up to 120 ms ahead of their own clock, and the next one is timed by theirs.
  await until('the pause is surely over', () => capture.nowMs() > resumedMs + 150)
  sequence++
  send(BEN)
  await until('seven packets', () => heard.length === 7)
  await capture.end('left')

  expect(known).toEqual(['lane', 'csrc:7', 'csrc:8'])
  expect(heard).toEqual(['csrc:7', 'csrc:7', 'p/1', 'csrc:8', 'csrc:8', 'csrc:7', 'csrc:8'])
  const tracks = tracksOf(readManifest(folder))
  expect(
    tracks.map(({ participantId, inTurns, segments }) => [participantId, inTurns, segments.reduce((sum, { frames }) => sum + frames, 0)]),
  ).toEqual([
    [null, undefined, 1],
    ['ada', true, 3],
    ['ben', true, 3],
  ])
})
