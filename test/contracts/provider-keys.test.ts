// A workspace's own speech vendor keys: they replace the server's and are never shown.
import { expect, test } from 'vitest'
import { KEY } from '../../sims/speech/vendor.ts'
import type { WorkspaceId } from '../../src/domain/bot.ts'
import { createProviderKeys, storeProviderKey } from '../../src/service/accounts/provider-keys.ts'
import { createVault } from '../../src/service/accounts/secrets.ts'
import { openForFile } from '../helpers/for-file.ts'
import { LONG_MS, startTranscriptBench } from '../helpers/speech/transcripts.ts'

const bench = openForFile(() => startTranscriptBench({ DEEPGRAM_API_KEY: '', OPENAI_API_KEY: 'the-server-s' }))

const create = (provider: string, api = bench.service.api) =>
  api('POST', '/api/v1/bots/create_bot', {
    meeting_link: 'https://meet.google.com/abc-defg-hij',
    join_at: new Date(Date.now() + 3_600_000).toISOString(),
    recording_config: { transcript: { provider } },
  })
const give = (vendor: string, body: unknown) => bench.service.api('PUT', `/api/v1/speech_providers/${vendor}`, body)
const vendors = async () => (await bench.get('/speech_providers')).body.vendors

test('lists which key each vendor uses', async () => {
  expect(await vendors()).toContainEqual({ vendor: 'openai', providers: ['openai'], key: 'server', updated_at: null })
  expect(await vendors()).toContainEqual({ vendor: 'deepgram', providers: ['deepgram', 'deepgram_streaming'], key: null, updated_at: null })
})

test(
  'rejects a provider without a key, and accepts it for the workspace that sets one',
  async () => {
    const refused = await create('deepgram')
    expect(refused).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('recording_config.transcript.provider deepgram') },
    })
    expect(refused.body.message).toContain('/api/v1/speech_providers/deepgram')

    const given = await give('deepgram', { api_key: KEY })
    expect(given).toMatchObject({ status: 200, body: { vendor: 'deepgram', key: 'workspace', updated_at: expect.any(String) } })
    expect(JSON.stringify([given.body, await vendors()])).not.toContain(KEY)
    for (const provider of ['deepgram', 'deepgram_streaming']) expect((await create(provider)).status).toBe(201)
    expect((await create('deepgram', await bench.service.stranger())).status).toBe(400)

    const { transcriptId } = await bench.done()
    expect((await bench.transcript(transcriptId)).status).toBe(200)
    expect(new Set(bench.vendor.asked.map(({ headers }) => headers.authorization))).toEqual(new Set([`Token ${KEY}`]))
  },
  LONG_MS,
)

test('ignores the key of another workspace', async () => {
  const stranger = await bench.service.stranger()
  expect((await stranger('GET', '/api/v1/speech_providers')).body.vendors).toContainEqual(
    expect.objectContaining({ vendor: 'deepgram', key: null }),
  )
  await stranger('PUT', '/api/v1/speech_providers/deepgram', { api_key: 'a-stranger-s' })
  await stranger('DELETE', '/api/v1/speech_providers/deepgram')
  expect(await vendors()).toContainEqual(expect.objectContaining({ vendor: 'deepgram', key: 'workspace' }))
  expect((await create('deepgram')).status).toBe(201)
})

test('seals, replaces and deletes the key', async () => {
  const row = () => bench.service.db.selectFrom('provider_keys').selectAll().execute()
  const [first] = await row()
  expect(first?.secret.includes(KEY)).toBe(false)
  await give('deepgram', { api_key: 'another' })
  expect((await row())[0]?.secret.equals(first?.secret ?? Buffer.alloc(0))).toBe(false)
  expect(await row()).toHaveLength(1)
  expect((await bench.service.api('DELETE', '/api/v1/speech_providers/deepgram')).body).toMatchObject({ vendor: 'deepgram', key: null })
  expect(await row()).toEqual([])
  expect((await create('deepgram')).status).toBe(400)
})

test('prefers the workspace’s key over the server’s until it is deleted', async () => {
  expect((await give('openai', { api_key: 'our-own' })).body.key).toBe('workspace')
  expect((await bench.service.api('DELETE', '/api/v1/speech_providers/openai')).body.key).toBe('server')
})

test('rejects invalid keys and unknown vendors by name', async () => {
  const stranger = await bench.service.stranger()
  for (const body of [{}, { api_key: '' }, { api_key: 'two words' }, { api_key: 'x'.repeat(1_001) }, { api_key: 7 }])
    expect(await give('deepgram', body)).toMatchObject({ status: 400, body: { message: expect.stringContaining('api_key') } })
  for (const vendor of ['nobody', 'native', '__proto__'])
    expect(await stranger('PUT', `/api/v1/speech_providers/${vendor}`, { api_key: 'x' })).toMatchObject({
      status: 404,
      body: { message: 'Speech vendor not found' },
    })
  expect((await stranger('DELETE', '/api/v1/speech_providers/nobody')).status).toBe(404)
})

test('transcribes with the workspace’s key', async () => {
  const keeping = { db: bench.service.db, vault: createVault('a key of sixteen letters') }
  const { id } = await bench.service.db.selectFrom('workspaces').select('id').orderBy('created_at').executeTakeFirstOrThrow()
  const workspace = id as WorkspaceId
  const server = { keys: { openai: 'the-server-s' }, baseUrls: { openai: 'http://127.0.0.1:9' } }
  const keys = createProviderKeys(keeping, server)
  await storeProviderKey(keeping, workspace, { vendor: 'assemblyai', key: 'our-own', at: new Date() })
  expect(await keys.settingsFor(workspace, 'assemblyai')).toEqual({ ...server, keys: { ...server.keys, assemblyai: 'our-own' } })
  for (const vendor of ['openai', null] as const) expect(await keys.settingsFor(workspace, vendor)).toEqual(server)

  // With another SECRET_KEY the key cannot be opened. Bots continue without a key and never use the server's.
  await storeProviderKey(keeping, workspace, { vendor: 'openai', key: 'our-own', at: new Date() })
  const strange = createProviderKeys({ ...keeping, vault: createVault('another key of sixteen') }, server)
  expect(await strange.settingsFor(workspace, 'openai')).toEqual({ ...server, keys: {} })
  expect(await strange.settingsFor(workspace, null)).toEqual(server)
})
