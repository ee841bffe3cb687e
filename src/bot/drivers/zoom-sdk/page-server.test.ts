import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openBotPage } from './page-server.ts'

function sdk(): string {
  const folder = mkdtempSync(join(tmpdir(), 'zoom-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'dist/lib/av'), { recursive: true })
  writeFileSync(join(folder, 'secret.js'), 'secret')
  writeFileSync(join(folder, 'dist/zoom-meeting-6.2.0.min.js'), 'sdk')
  writeFileSync(join(folder, 'dist/lib/av/audio.wasm'), 'wasm')
  writeFileSync(join(folder, 'dist/lib/notes.txt'), 'notes')
  symlinkSync(join(folder, 'secret.js'), join(folder, 'dist/lib/link.js'))
  return folder
}

/** Sends the path unchanged, which `fetch` would normalise. */
const ask = (url: URL, path: string, { method = 'GET', host = url.host } = {}) =>
  new Promise<{ status: number; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const sent = request({ host: url.hostname, port: url.port, path, method, headers: { host } }, async (answer) => {
      resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(await answer.toArray()).toString(), headers: answer.headers })
    })
    sent.once('error', reject).end()
  })

test('serves an isolated page with the SDK to one bot, and nothing after it is closed', async () => {
  const page = await openBotPage(sdk())
  const at = page.url.pathname
  const { status, body, headers } = await ask(page.url, at)
  expect([status, body]).toEqual([200, expect.stringContaining('<script src="sdk/zoom-meeting-6.2.0.min.js">')])
  expect(headers).toMatchObject({ 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' })
  expect(await ask(page.url, `${at}sdk/lib/av/audio.wasm`)).toMatchObject({ body: 'wasm', headers: { 'content-type': 'application/wasm' } })
  expect((await ask(page.url, `${at}page.js`)).status, 'before the bot is on its way').toBe(404)
  page.give({
    join: () => ({ signature: 's</script>', meetingNumber: '1', userName: 'Bot', passWord: '' }),
    nextMs: (code) => (code === 4017 ? 5_000 : null),
    reports: 'reports',
  })
  expect((await ask(page.url, `${at}page.js`)).body).toContain('s</script>')
  expect([(await ask(page.url, `${at}next/4017`)).body, (await ask(page.url, `${at}next/4006`)).body]).toEqual(['5000', 'null'])
  page.close()
  expect((await ask(page.url, at)).status).toBe(404)
})

test('refuses every other path, method and host name', async () => {
  const page = await openBotPage(sdk())
  onTestFinished(() => page.close())
  const at = page.url.pathname
  const paths = ['/', '/x/', `${at}x`, `${at}sdk/`, `${at}sdk/lib`, `${at}sdk/../../secret.js`, `${at}sdk/..%2f..%2fsecret.js`]
  for (const path of [...paths, `${at}sdk/lib/link.js`, `${at}sdk/lib/notes.txt`, `${at}sdk//etc/passwd`, `${at}?x`])
    expect([path, (await ask(page.url, path)).status]).toEqual([path, 404])
  expect((await ask(page.url, at, { method: 'POST' })).status).toBe(404)
  expect((await ask(page.url, at, { host: 'evil.example' })).status).toBe(404)
})

test('throws if the folder holds no SDK', async () => {
  await expect(openBotPage(tmpdir())).rejects.toThrow()
})
