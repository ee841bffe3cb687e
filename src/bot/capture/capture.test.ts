// A page that sends several participants over one lane, from its socket to the manifest.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { readManifest } from '../../../test/helpers/media/manifest.ts'
import { PLAIN, sourceInfo } from '../../../test/helpers/media/recording-fixture.ts'
import { until } from '../../../test/helpers/until.ts'
import { tracksOf } from '../../domain/recording.ts'
import { encodeBatch } from './batch.ts'
import { type Capture, startCapture } from './capture.ts'
import { encodeControl, type WireFrame } from './wire.ts'

const [ADA, BEN, NO_PARTICIPANT] = [7, 8, 42]
const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** Connects as a page with the script does. */
async function pageOf({ initScript }: Capture): Promise<WebSocket> {
  const [url = '', token = ''] = ['url', 'token'].map((name) => new RegExp(`"${name}":"([^"]+)"`).exec(initScript)?.[1])
  const socket = new WebSocket(url)
  cleanUps.push(() => socket.terminate())
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.send(encodeControl({ kind: 'hello', token, page: 'p', sentMs: performance.now() }))
  socket.send(encodeControl({ kind: 'track', info: { ...sourceInfo('audio'), id: 'lane' } }))
  return socket
}

test('separates the participants of one lane, live and recorded, across a pause and up to the end', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'capture-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  const [live, known]: [string[], string[]] = [[], []]
  const capture = await startCapture({
    folder,
    session: 1,
    video: false,
    ignoredSources: [NO_PARTICIPANT],
    onTrack: (_, it) => void known.push(it.id),
    onAudio: (source) => void live.push(source),
  })
  await capture.begin()
  const page = await pageOf(capture)
  const startedMs = performance.now()
  let sequence = 0
  let rtpTimestamp = -960
  const send = (csrc: number): void => {
    // By the real clock: on a busy machine a packet that lags it would seem to precede the pause.
    rtpTimestamp = Math.max(rtpTimestamp + 960, Math.round(48 * (performance.now() - startedMs)))
    const frame: WireFrame = {
      ...PLAIN,
      kind: 'audio',
      codec: 'opus',
      receivedMs: performance.now(),
      payload: Uint8Array.of(0x78, 1, 2),
      csrc,
      rtpTimestamp,
      sequence: sequence++,
      audioLevel: 20,
    }
    page.send(encodeBatch([frame]))
  }
  for (const csrc of [ADA, ADA, NO_PARTICIPANT, BEN, BEN]) send(csrc)
  await until('five packets', () => live.length === 5)
  capture.setOwners([
    { track: { kind: 'csrc', csrc: ADA }, participantId: 'ada', kind: 'audio' },
    { track: { kind: 'csrc', csrc: BEN }, participantId: 'ben', kind: 'audio' },
  ])
  // One packet is lost, and the next waits for it until the pause.
  sequence++
  send(ADA)
  await until('six packets', () => live.length === 6)
  capture.pause()
  capture.resume()
  const resumedMs = capture.nowMs()
  // The packets before came in a burst, up to 120 ms ahead of their clock, which also times the next one.
  await until('the pause is surely over', () => capture.nowMs() > resumedMs + 150)
  sequence++
  send(BEN)
  await until('seven packets', () => live.length === 7)
  await capture.end('left')

  expect(known).toEqual(['lane', 'csrc:7', 'csrc:8'])
  expect(live).toEqual(['csrc:7', 'csrc:7', 'p/1', 'csrc:8', 'csrc:8', 'csrc:7', 'csrc:8'])
  const tracks = tracksOf(readManifest(folder))
  expect(
    tracks.map(({ participantId, inTurns, segments }) => [participantId, inTurns, segments.reduce((sum, { frames }) => sum + frames, 0)]),
  ).toEqual([
    [null, undefined, 1],
    ['ada', true, 3],
    ['ben', true, 3],
  ])
})

test('records packets that arrived before the stop and are sent after it, and none that arrived later', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'capture-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  const live: string[] = []
  const capture = await startCapture({ folder, session: 1, video: false, onAudio: (source) => void live.push(source) })
  await capture.begin()
  // Before the page's first message. By its delay, which a busy machine makes long, all times of the page seem later.
  const arrivedMs = performance.now()
  const page = await pageOf(capture)
  const commands: string[] = []
  page.on('message', (data) => void commands.push(data.toString()))
  let sequence = 0
  const send = (receivedMs: number): void => {
    const rtpTimestamp = 960 * sequence
    const payload = Uint8Array.of(0x78, 1, 2)
    page.send(encodeBatch([{ ...PLAIN, kind: 'audio', codec: 'opus', receivedMs, payload, rtpTimestamp, sequence: sequence++ }]))
  }
  send(arrivedMs)
  await until('the first packet', () => live.length === 1)
  capture.stop()
  await until('the page has been told to send everything', () => commands.at(-1) === encodeControl({ kind: 'pause' }))
  send(arrivedMs)
  send(performance.now() + 1_000)
  send(arrivedMs)
  await until('three packets', () => live.length === 3)
  await capture.end('left')
  expect(tracksOf(readManifest(folder)).flatMap(({ segments }) => segments.map(({ frames }) => frames))).toEqual([3])
})

test('takes a mix for unnamed until one of its packets names a source', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'capture-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  const live: string[] = []
  const capture = await startCapture({ folder, session: 1, video: false, mixed: true, onAudio: (source) => void live.push(source) })
  await capture.begin()
  const page = await pageOf(capture)
  const send = async (csrc: number, sequence: number): Promise<string | undefined> => {
    const payload = Uint8Array.of(0x78, 1, 2)
    const frame = { ...PLAIN, kind: 'audio', codec: 'opus', receivedMs: performance.now(), payload, csrc, sequence } as const
    page.send(encodeBatch([{ ...frame, rtpTimestamp: 960 * sequence }]))
    await until('the packet', () => live.length === sequence)
    return live.at(-1)
  }
  const mix = (await send(0, 1)) ?? ''
  expect(capture.isUnnamedMix(mix)).toBe(true)
  const ada = (await send(ADA, 2)) ?? ''
  expect([capture.isUnnamedMix(mix), capture.isUnnamedMix(ada)]).toEqual([false, false])
  await capture.end('left')
})
