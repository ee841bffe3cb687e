// The OpenAPI document and the docs page: compressed, and cached by browsers.
import { describe, expect, test } from 'vitest'
import { serviceForFile } from '../helpers/service/for-file.ts'

const DOCUMENTS = ['/api/v1/openapi.json', '/api/v1/openapi.yaml', '/docs/', '/docs/openapi.json'] as const

const service = serviceForFile()

const read = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers })
const encodingOf = async (path: string, accepted: string) => {
  const { headers } = await read(path, { 'accept-encoding': accepted })
  return headers.get('content-encoding')
}

async function scriptPath(): Promise<string> {
  const page = await (await read('/docs/')).text()
  return `/docs/${/<script src="([^"]+)"/.exec(page)?.[1]}`
}

describe.each(DOCUMENTS)('%s', (path) => {
  test('compresses a document as the client accepts', async () => {
    expect(await encodingOf(path, 'gzip, deflate, br')).toBe('br')
    expect(await encodingOf(path, 'gzip, deflate')).toBe('gzip')
    expect(await encodingOf(path, 'br;q=0, gzip;q=0.5')).toBe('gzip')
    expect(await encodingOf(path, 'identity')).toBeNull()
    const texts = await Promise.all(['br', 'gzip', 'identity'].map(async (it) => (await read(path, { 'accept-encoding': it })).text()))
    expect(new Set(texts).size).toBe(1)
  })

  test('answers 304 to a client that has the document', async () => {
    const { headers } = await read(path)
    const etag = headers.get('etag') ?? ''
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('vary')).toBe('accept-encoding')
    expect((await read(path, { 'if-none-match': etag })).status).toBe(304)
    expect((await read(path, { 'if-none-match': `"other", ${etag}` })).status).toBe(304)
    expect((await read(path, { 'if-none-match': '"other"' })).status).toBe(200)
  })
})

test('serves the script of the docs page under a hash, as immutable', async () => {
  const path = await scriptPath()
  expect(path).toMatch(/\.[\w-]{10,}\.js$/)
  const { status, headers } = await read(path)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('javascript')
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
})

test('compresses the script of the docs page to less than a third', async () => {
  const path = await scriptPath()
  const { headers } = await read(path, { 'accept-encoding': 'gzip' })
  const plain = await read(path, { 'accept-encoding': 'identity' })
  expect(headers.get('content-encoding')).toBe('gzip')
  expect(Number(headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')) / 3)
})

test('serves the earlier name of the script, uncached', async () => {
  const { status, headers } = await read('/docs/js/scalar.js')
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-cache')
})

test('serves the icon of the dashboard as /favicon.ico', async () => {
  const { status, headers } = await read('/favicon.ico')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('image/svg+xml')
  expect(headers.get('cache-control')).toBe('public, max-age=86400')
})
