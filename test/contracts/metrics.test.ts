// /metrics of a real service: queues from its database, and counts from where they happen.
import { expect, test } from 'vitest'
import { startReceiver } from '../helpers/callers/receiver.ts'
import { openForFile } from '../helpers/for-file.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { clientOf, NO_DRIVER, startTestService, type TestService } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const receiver = openForFile(startReceiver)
// One seat, which no bot gets: WhatsApp bots end when they are launched.
const service = serviceForFile({ BOT_WORKERS: '1', BOTS_PER_WORKER: '1' })

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0'
const scrape = async (url: string, accept = 'text/plain'): Promise<string> => {
  const { status, body } = await clientOf(url, null)('GET', '/metrics', undefined, { accept })
  expect(status).toBe(200)
  return body
}
const create = (it: TestService, body: object = {}) => it.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER, ...body })

test('counts a bot from its creation to the delivery of its last event, and names it in exemplars', async () => {
  const { body } = await create(service, { callback_url: `${receiver.url}/hook` })
  const reported = await until(
    'all events are delivered',
    async () => {
      const text = await scrape(service.url)
      return /emissary_delivery_lag_seconds_count\{attempt="first"\} [3-9]/.test(text) ? text : null
    },
    20_000,
  )
  expect(reported).toContain('emissary_bots_created_total{platform="WhatsApp"} 1\n')
  expect(reported).toContain('emissary_join_outcomes_total{platform="WhatsApp",outcome="Failed",reason="PlatformUnavailable"} 1\n')
  expect(reported).toContain('emissary_bots_ended_total{platform="WhatsApp",status="Failed",reason="PlatformUnavailable"} 1\n')
  expect(reported).toContain('emissary_seats 1\n')
  expect(reported).toContain('emissary_seats_free 1\n')
  expect(reported).toContain('emissary_database_up 1\n')

  const answer = await clientOf(service.url, null)('GET', '/metrics', undefined, { accept: OPEN_METRICS })
  expect(answer.headers.get('content-type')).toContain('application/openmetrics-text; version=1.0.0')
  expect(answer.body).toContain(`# {bot_id="${body.bot_id}"}`)
  expect(answer.body.endsWith('# EOF\n')).toBe(true)
})

test('shows which workspaces wait for a seat', async () => {
  const full = await startTestService({ BOT_WORKERS: '0' })
  try {
    const stranger = await full.stranger()
    await create(full)
    await create(full)
    await create(full, { join_at: new Date(Date.now() + 3_600_000).toISOString() })
    await stranger('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })
    const text = await until(
      'the queue is read',
      async () => {
        const now = await scrape(full.url)
        return now.includes('\nemissary_queue_bots 3\n') ? now : null
      },
      20_000,
    )
    const queues = text.split('\n').filter((line) => line.startsWith('emissary_workspace_queue_bots{'))
    expect(queues.map((line) => line.split(' ')[1])).toEqual(['2', '1'])
    expect(text).toMatch(/^emissary_workspace_queue_oldest_seconds\{workspace="wsp_\w+"\} [\d.]+$/m)
    expect(text).toContain('\nemissary_seats_free 0\n')
  } finally {
    await full.stop()
  }
})
