import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type LiveServer, startLiveServer } from '../../test/helpers/callers/live-server.ts'
import { until } from '../../test/helpers/until.ts'
import { openSocket, type Socket, type SocketOptions } from './reconnecting-socket.ts'

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'metadata.example': ['169.254.169.254'],
  'private.example': ['10.0.0.1'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
}
const lookup = async (hostname: string) =>
  (ADDRESSES[hostname] ?? ['127.0.0.1']).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

let plain: LiveServer
let secure: LiveServer
let certificate: string
const sockets: Socket[] = []

beforeAll(async () => {
  const tls = selfSigned()
  certificate = tls.cert.toString()
  plain = await startLiveServer()
  secure = await startLiveServer({ tls })
})
afterEach(async () => {
  await Promise.all(sockets.splice(0).map((socket) => socket.end()))
})
afterAll(async () => {
  await plain.close()
  await secure.close()
})

function problemsOf(url: string, more: Partial<SocketOptions> = {}): readonly string[] {
  const problems: string[] = []
  const socket = openSocket({
    url,
    allowPrivate: false,
    lookup,
    hello: () => '{}',
    onProblem: (message) => problems.push(message),
    retry: { firstMs: 5, longestMs: 5 },
    ...more,
  })
  sockets.push(socket)
  return problems
}

describe('without allowPrivate', () => {
  test.each(['127.0.0.1', '[::1]', '169.254.169.254', '10.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]'])(
    'never connects to %s',
    async (host) => {
      const before = secure.touches()
      expect(problemsOf(`wss://${host}:${secure.port}/`)).toEqual(['The URL must not point to a private or loopback address.'])
      expect(sockets.at(-1)?.send('anything')).toBe(false)
      expect(secure.touches()).toBe(before)
    },
  )

  test.each(Object.keys(ADDRESSES))('does not connect to %s, which resolves to a private address', async (host) => {
    const before = secure.touches()
    const problems = problemsOf(`wss://${host}:${secure.port}/`)
    await until('a problem', () => problems.length > 0)
    expect(problems[0]).toMatch(/leads to .*, which is not a public address\.$/)
    expect(secure.touches()).toBe(before)
  })

  test.each(['ws', 'http', 'ws+unix', 'wss+unix'])('rejects the scheme %s', (scheme) => {
    expect(problemsOf(`${scheme}://meeting.example/`)).toEqual(['The URL must be a wss URL.'])
  })
})

describe('with allowPrivate', () => {
  test('connects to a URL with a fragment', async () => {
    problemsOf(`${plain.url}#here`, { allowPrivate: true })
    const { received } = await plain.connection(1)
    await until('the hello', () => received.length === 1)
  })

  test('does not follow a redirect', async () => {
    const before = plain.touches()
    const elsewhere = await startLiveServer({ door: () => ({ status: 302, location: plain.url }) })
    const problems = problemsOf(elsewhere.url, { allowPrivate: true })
    await until('a problem', () => problems.length > 0)
    expect(problems[0]).toMatch(/302/)
    expect(plain.touches()).toBe(before)
    await elsewhere.close()
  })

  test('rejects an untrusted certificate and accepts a trusted one', async () => {
    const problems = problemsOf(secure.url, { allowPrivate: true })
    await until('a problem', () => problems.length > 0)
    expect(problems[0]).toMatch(/could not be trusted/)
    expect(secure.attempts()).toBe(0)

    const trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, certificate])
    try {
      problemsOf(secure.url, { allowPrivate: true })
      const { received } = await secure.connection(1)
      await until('the hello', () => received.length === 1)
    } finally {
      setDefaultCACertificates(trusted)
    }
  })
})

function selfSigned(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'emissary-tls-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2']
  run('openssl', ['req', '-x509', ...curve, ...names, '-keyout', key, '-out', cert])
  const made = { key: readFileSync(key), cert: readFileSync(cert) }
  rmSync(folder, { recursive: true })
  return made
}

function run(program: string, words: readonly string[]): void {
  const { status, stderr } = spawnSync(program, words)
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
}
