import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createHttpClient } from '../../kit/http-client.ts'
import { FetchRefused, fetchClip, fetchPicture } from './fetch-media.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function httpClient() {
  const http = createHttpClient({ allowPrivate: true })
  cleanups.push(() => http.close())
  return http
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
    () => expect.unreachable('the file was accepted'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(FetchRefused)
  return error instanceof FetchRefused ? error.message : ''
}

test('returns a picture or a clip unchanged, whatever its content-type', async () => {
  const picture = png(8_000, 5_000, MOST)
  expect((await fetchPicture(httpClient(), await serveBytes(picture))).equals(picture)).toBe(true)
  expect(await fetchClip(httpClient(), await serveBytes(WAV))).toEqual(WAV)
})

test.each([
  ['an HTML page', Buffer.from('<!doctype html><title>Sign in</title>'), '"<!doctype ht"'],
  ['an empty body', Buffer.alloc(0), 'nothing, because it is empty'],
  ['unknown bytes', Buffer.from('00ff10"\n', 'latin1'), '"00ff10\\"?"'],
])('rejects %s instead of a picture or a clip, and quotes the first bytes', async (_, bytes, named) => {
  const url = await serveBytes(bytes)
  expect(await refusal(fetchPicture(httpClient(), url))).toBe(
    `The picture must be PNG, JPEG, WebP or GIF; the response starts with ${named}.`,
  )
  expect(await refusal(fetchClip(httpClient(), url))).toBe(
    `The clip must be WAV, MP3, OGG, M4A or FLAC; the response starts with ${named}.`,
  )
})

test('rejects a picture with too many pixels by its header', async () => {
  const url = await serveBytes(png(8_001, 5_000))
  expect(await refusal(fetchPicture(httpClient(), url))).toBe('The picture must have at most 40 megapixels; it is 8001 by 5000.')
})

test('rejects a file of more than 10 MB', async () => {
  const url = await serveBytes(png(10, 10, MOST + 1))
  expect(await refusal(fetchPicture(httpClient(), url))).toBe('The picture must have at most 10 MB; the response is larger.')
  expect(await refusal(fetchClip(httpClient(), url))).toBe('The clip must have at most 10 MB; the response is larger.')
})

test.each([204, 206, 302, 404, 500])('rejects status %i', async (status) => {
  const url = await serveBytes(WAV, status)
  expect(await refusal(fetchClip(httpClient(), url))).toBe(`The clip must be served with status 200; its server answered ${status}.`)
})

test('rejects a response that takes longer than four seconds', async () => {
  const url = await serve((_, answer) => answer.writeHead(200).write(WAV))
  const startedAt = performance.now()
  expect(await refusal(fetchClip(httpClient(), url))).toMatch(
    /^The clip could not be fetched: 127.0.0.1:\d+ did not answer within 4000 ms\.$/,
  )
  expect(performance.now() - startedAt).toBeLessThan(6_000)
})

test('rejects a private address', async () => {
  const http = createHttpClient({ allowPrivate: false })
  cleanups.push(() => http.close())
  expect(await refusal(fetchPicture(http, await serveBytes(png(10, 10))))).toMatch(
    /^The picture could not be fetched: 127.0.0.1 is not a public address\.$/,
  )
})
