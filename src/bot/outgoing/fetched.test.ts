// Pictures and clips by URL, from a real server on loopback that behaves well or badly.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createOutgoing } from '../../kit/outgoing.ts'
import { fetchClip, fetchPicture, Refused } from './fetched.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function wayOut() {
  const outgoing = createOutgoing({ allowPrivate: true })
  cleanups.push(() => outgoing.close())
  return outgoing
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const serveBytes = (bytes: Buffer, status = 200) =>
  serve((_, answer) => answer.writeHead(status, { 'content-type': 'text/html' }).end(bytes))

function png(width: number, height: number, length = 100): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

const WAV = Buffer.from('RIFF\0\0\0\0WAVEfmt ')
const MOST = 10 * 1024 * 1024

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => expect.unreachable('it was taken'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(Refused)
  return error instanceof Refused ? error.message : ''
}

test('what is a picture or a clip comes as it is, whatever its server calls it', async () => {
  const picture = png(8_000, 5_000, MOST)
  expect((await fetchPicture(wayOut(), await serveBytes(picture))).equals(picture)).toBe(true)
  expect(await fetchClip(wayOut(), await serveBytes(WAV))).toEqual(WAV)
})

test.each([
  ['a page', Buffer.from('<!doctype html><title>Sign in</title>'), '"<!doctype ht"'],
  ['nothing', Buffer.alloc(0), 'nothing: it is empty'],
  ['bytes', Buffer.from('00ff10"\n', 'latin1'), '"00ff10\\"?"'],
])('%s instead of a picture or a clip is refused, and named', async (_, bytes, named) => {
  const url = await serveBytes(bytes)
  expect(await refusal(fetchPicture(wayOut(), url))).toBe(`The picture must be PNG, JPEG, WebP or GIF; what came begins with ${named}.`)
  expect(await refusal(fetchClip(wayOut(), url))).toBe(`The clip must be WAV, MP3, OGG, M4A or FLAC; what came begins with ${named}.`)
})

test('a picture too large to unfold is refused by its header', async () => {
  const url = await serveBytes(png(8_001, 5_000))
  expect(await refusal(fetchPicture(wayOut(), url))).toBe('The picture must have at most 40 megapixels; it is 8001 by 5000.')
})

test('one byte too many is refused', async () => {
  const url = await serveBytes(png(10, 10, MOST + 1))
  expect(await refusal(fetchPicture(wayOut(), url))).toBe('The picture must have at most 10 MB; more than that came.')
  expect(await refusal(fetchClip(wayOut(), url))).toBe('The clip must have at most 10 MB; more than that came.')
})

test.each([204, 206, 302, 404, 500])('status %i is refused', async (status) => {
  const url = await serveBytes(WAV, status)
  expect(await refusal(fetchClip(wayOut(), url))).toBe(`The clip must come with status 200; its server answered ${status}.`)
})

test('an exchange that is not over after four seconds is refused', async () => {
  const url = await serve((_, answer) => answer.writeHead(200).write(WAV))
  const startedAt = performance.now()
  expect(await refusal(fetchClip(wayOut(), url))).toMatch(/^The clip could not be fetched: 127.0.0.1:\d+ did not answer within 4000 ms\.$/)
  expect(performance.now() - startedAt).toBeLessThan(6_000)
})

test('an address that is not for callers is refused', async () => {
  const outgoing = createOutgoing({ allowPrivate: false })
  cleanups.push(() => outgoing.close())
  expect(await refusal(fetchPicture(outgoing, await serveBytes(png(10, 10))))).toMatch(
    /^The picture could not be fetched: 127.0.0.1 is not a public address\.$/,
  )
})
