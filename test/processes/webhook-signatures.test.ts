// Signed deliveries, verified by the published library and by the receivers of docs/webhooks.md.
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startReceiver } from '../helpers/callers/receiver.ts'
import { folderForFile } from '../helpers/for-file.ts'
import { snippetsOf } from '../helpers/requests/snippets.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { freePort } from '../helpers/service/free-port.ts'
import { findNode20 } from '../helpers/service/node-20.ts'
import { NO_DRIVER, WITH_BOTS } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const PATH = '/api/v1/webhook_endpoints'

const folder = folderForFile('emissary-receivers-')
const service = serviceForFile(WITH_BOTS)

async function add(url: string): Promise<{ id: string; secret: string }> {
  const { body } = await service.api('POST', PATH, { url, events: ['*'] })
  onTestFinished(async () => void (await service.api('DELETE', `${PATH}/${body.id}`)))
  return body
}

test('sends two valid signatures, and after a rotation only those of the new secret, also for retries', async () => {
  const hook = await startReceiver()
  onTestFinished(() => hook.close())
  const { id, secret } = await add(`${hook.url}/hook`)
  hook.answerWith((_it, response) => void response.destroy())
  await service.api('POST', '/api/v1/bots/create_bot', {
    meeting_link: NO_DRIVER,
    bot_name: 'Schriftführer',
    custom_attributes: { fox: '🦊', tab: '\t' },
  })
  const [first] = await hook.waitFor(1)
  const { body: rotated } = await service.api('POST', `${PATH}/${id}/rotate_secret`)
  expect(rotated.secret).not.toBe(secret)
  hook.answerWith((_it, response) => void response.end())
  await service.db
    .updateTable('deliveries')
    .set({ due_at: new Date(0) })
    .where('state', '=', 'queued')
    .execute()
  const received = await hook.waitFor(4, 15_000)

  for (const it of received) {
    const key = it === first ? secret : rotated.secret
    const headers = it.headers as Record<string, string>
    expect(new Webhook(key).verify(it.raw, headers)).toEqual(it.body)
    expect(() => new Webhook(key === secret ? rotated.secret : secret).verify(it.raw, headers)).toThrow()
    expect(headers['x-service-signature']).toBe(`sha256=${createHmac('sha256', key).update(it.raw).digest('hex')}`)
    expect(Math.abs(Date.parse(headers['x-service-timestamp'] ?? '') - Date.now())).toBeLessThan(60_000)
    expect(headers).toMatchObject({ 'webhook-id': it.body.event_id, 'user-agent': 'Emissary/1.0', 'content-type': 'application/json' })
  }
  expect(received[0]?.body.event_id).toBe(received[1]?.body.event_id)
})

type Recipe = { readonly language: string; readonly by: string; readonly file: string; readonly program: () => string }

const RECIPES: readonly Recipe[] = [
  { language: 'js', by: 'Node 20', file: 'receiver.mjs', program: findNode20 },
  { language: 'js', by: 'Node 24', file: 'receiver.mjs', program: () => process.execPath },
  { language: 'python', by: 'Python', file: 'receiver.py', program: () => 'python3' },
]

describe('the receiver of the documentation', () => {
  test.each(RECIPES)('accepts signed deliveries only in $language, on $by', { timeout: 300_000 }, async ({ language, file, program }) => {
    const port = await freePort()
    const { id, secret } = await add(`http://127.0.0.1:${port}/`)
    await writeFile(join(folder, file), await blockOf(language))
    const child = spawn(program(), [join(folder, file)], {
      env: { ...process.env, SECRET: secret, PORT: String(port) },
      stdio: 'ignore',
    })
    onTestFinished(async () => {
      const gone = once(child, 'exit')
      if (child.kill('SIGKILL')) await gone
    })
    await until('it listens', () => reachable(port), 10_000)

    const statusOfTest = async () => {
      const { body } = await service.api('POST', `${PATH}/${id}/test`)
      const find = async () => {
        const { body: log } = await service.api('GET', `/api/v1/webhook_deliveries?endpoint_id=${id}`)
        return log.deliveries.find((it: { delivery_id: string }) => it.delivery_id === body.delivery_id)?.attempts[0]
      }
      return (await until('it was tried', find, 10_000)).http_status
    }
    expect(await statusOfTest()).toBe(200)
    const unsigned = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: '{}',
      headers: { 'x-service-timestamp': new Date().toISOString() },
    })
    expect(unsigned.status).toBe(401)
    const old = {
      'x-service-signature': `sha256=${createHmac('sha256', secret).update('{}').digest('hex')}`,
      'x-service-timestamp': '2026-01-01T00:00:00.000Z',
    }
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}', headers: old })).status).toBe(401)
    await service.api('POST', `${PATH}/${id}/rotate_secret`)
    expect(await statusOfTest()).toBe(401)
  })
})

async function blockOf(language: string): Promise<string> {
  const block = (await snippetsOf('docs/webhooks.md')).find((it) => it.language === language)
  if (!block) throw new Error(`docs/webhooks.md shows no receiver in ${language}`)
  return block.code
}

async function reachable(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1')
  const connected = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(
    () => false,
  )
  socket.destroy()
  return connected
}
