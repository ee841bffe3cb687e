// Dashboard data of recordings: speaker names, lanes and retention.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BotId } from '../../src/domain/bot.ts'
import { readTurns, storeTranscript, transcriptKeys } from '../../src/service/media/transcript/transcript-file.ts'
import { browserOf, inviteTo, type TestBrowser } from '../helpers/service/dashboard.ts'
import { createEndedBot, makeDue } from '../helpers/service/ended-bot.ts'
import { WITH_DASHBOARD } from '../helpers/service/service.ts'
import { LONG_MS, startTranscriptBench, type TranscriptBench } from '../helpers/speech/transcripts.ts'
import { until } from '../helpers/until.ts'

let bench: TranscriptBench
let owner: TestBrowser
let botId: BotId
let transcriptId: string
beforeAll(async () => {
  bench = await startTranscriptBench({ ...WITH_DASHBOARD, TRUST_PROXY: 'true' })
  owner = browserOf(bench.service.url)
  await owner.join(bench.service.setUpUrl, { name: 'Ada', email: 'ada@example.com' })
  const { api, db } = bench.service
  const fields = { video_required: false, recording_config: { transcript: { provider: { deepgram: { language: 'en' } } } } }
  botId = await createEndedBot({ api, db, store: bench.store }, fields, [
    { fact: 'paused', atMs: 7_000 },
    { fact: 'resumed', atMs: 8_000 },
  ])
  await makeDue(db, botId)
  await until('the bot is done', async () => (await bench.detail(botId)).Status === 'Done', LONG_MS)
  transcriptId = (await bench.detail(botId)).transcript_id
}, 2 * LONG_MS)
afterAll(() => bench?.stop())

const at = (path: string) => `/dashboard/v1/workspaces/${owner.workspaceId()}${path}`
const rename = (browser: TestBrowser, name: string | null, bot: string = botId) =>
  browser.ask('PUT', at(`/bots/${bot}/speaker_names`), { speaker_id: 'ann', name })

test('shows a renamed speaker in every transcript format until the name is removed', async () => {
  expect((await rename(owner, 'Ann Smith')).status).toBe(200)
  const { body, headers } = await bench.transcript(transcriptId)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(body.map(({ speaker, speaker_id }: Record<string, string>) => [speaker, speaker_id])).toEqual([
    ['Ann Smith', 'ann'],
    ['Bob', 'bob'],
  ])
  expect(body[0].words[0].speaker).toBe('Ann Smith')
  const texts = await Promise.all(['txt', 'srt', 'vtt'].map((format) => bench.transcript(transcriptId, `?format=${format}`)))
  for (const text of texts) expect(text.body).toMatch(/Ann Smith[:>].*Bob[:>]/s)
  expect(JSON.stringify((await bench.transcript(transcriptId, '?raw=true')).body)).not.toContain('Ann Smith')

  await rename(owner, null)
  expect((await bench.transcript(transcriptId)).body[0].speaker).toBe('Ann')
})

test('rejects a new name for a speaker id that does not occur in the recording', async () => {
  const unknown = await owner.ask('PUT', at(`/bots/${botId}/speaker_names`), { speaker_id: 'nobody', name: 'Eve' })
  expect(unknown).toMatchObject({ status: 400, body: { message: 'speaker_id is not a speaker of this recording.' } })
  const names = bench.service.db.selectFrom('speaker_names').select('speaker_id').where('speaker_id', '=', 'nobody')
  expect(await names.execute()).toEqual([])
})

test('accepts a new name for a speaker whom only the transcript names', async () => {
  const keys = transcriptKeys(botId, transcriptId)
  const turns = (await readTurns(bench.store, keys)) ?? []
  await storeTranscript(bench.store, keys, { raw: [], processed: turns.map((it) => ({ ...it, speaker_id: 'from-captions' })) })
  const ask = (name: string | null) => owner.ask('PUT', at(`/bots/${botId}/speaker_names`), { speaker_id: 'from-captions', name })
  expect((await ask('Cleo')).status).toBe(200)
  expect((await bench.transcript(transcriptId)).body[0].speaker).toBe('Cleo')
  expect((await ask(null)).status).toBe(200)
})

test('answers lanes with speaker names and pauses', async () => {
  await rename(owner, 'Ann Smith')
  expect((await owner.ask('GET', at(`/bots/${botId}/lanes`))).body).toEqual({
    speaker_names: { ann: 'Ann Smith' },
    pauses: [{ start: 7, end: 8 }],
    gaps: [],
  })
})

test('rejects renaming by viewers and non-members, and deletes names with the bot’s data', async () => {
  const viewer = await inviteTo(owner, 'viewer')
  expect((await rename(viewer, 'Eve')).status).toBe(403)
  expect((await rename(owner, 'Eve', 'bot_unknown')).status).toBe(404)
  const { body } = await bench.service.operator('POST', '/admin/v1/workspaces', { name: 'theirs', user_email: 'them@example.com' })
  for (const path of [`/bots/${botId}/lanes`, `/bots/${botId}/watch`, '/storage'])
    expect((await owner.ask('GET', `/dashboard/v1/workspaces/${body.workspace_id}${path}`)).status, path).toBe(404)
  expect((await owner.cookieOnly('PUT', at(`/bots/${botId}/speaker_names`), { speaker_id: 'ann', name: 'Eve' })).status).toBe(403)

  await rename(owner, 'Ann Smith')
  expect((await owner.ask('DELETE', `/api/v1/bots/${botId}/delete`)).status).toBe(200)
  expect((await owner.ask('GET', at(`/bots/${botId}/lanes`))).status).toBe(404)
  expect(await bench.service.db.selectFrom('speaker_names').selectAll().execute()).toEqual([])
})

test('applies the workspace’s retention unless the bot has its own', async () => {
  const member = await inviteTo(owner, 'member')
  expect((await member.ask('PUT', at('/storage'), { retention_hours: 48 })).status).toBe(403)
  expect((await owner.ask('PUT', at('/storage'), { retention_hours: 0 })).status).toBe(400)
  expect((await owner.ask('PUT', at('/storage'), { retention_hours: 48 })).status).toBe(200)
  expect((await member.ask('GET', at('/storage'))).body).toMatchObject({
    place: 'the disk of this server',
    retention_hours: 48,
    default_retention_hours: 720,
    bytes: expect.any(Number),
  })
  expect(await hoursKept({})).toBeCloseTo(48, 1)
  expect(await hoursKept({ recording_config: { retention: { hours: 2 } } })).toBeCloseTo(2, 1)
  await owner.ask('PUT', at('/storage'), { retention_hours: null })
  expect(await hoursKept({})).toBeCloseTo(720, 1)
})

/** For a bot that is cancelled before its meeting. */
async function hoursKept(fields: object): Promise<number> {
  const join_at = new Date(Date.now() + 86_400_000).toISOString()
  const { body } = await owner.ask('POST', '/api/v1/bots/create_bot', {
    meeting_link: 'https://meet.google.com/abc-defg-hij',
    join_at,
    ...fields,
  })
  expect((await owner.ask('GET', `/api/v1/bots/${body.bot_id}/remove_bot`)).status).toBe(200)
  const row = await bench.service.db.selectFrom('bots').select('delete_at').where('id', '=', body.bot_id).executeTakeFirstOrThrow()
  return ((row.delete_at?.getTime() ?? 0) - Date.now()) / 3_600_000
}

test('shows the fleet only to owners of the first workspace', async () => {
  const { body, status } = await owner.ask('GET', '/dashboard/v1/fleet')
  expect(status).toBe(200)
  expect(body).toMatchObject({ nodes: [{ is_alive: true, seats: 0 }], queue: { waiting: 0 }, lateness: { bots: 0, median: null } })
  expect((await owner.session()).body.is_operator).toBe(true)

  const member = await inviteTo(owner, 'member')
  expect((await member.ask('GET', '/dashboard/v1/fleet')).status).toBe(403)
  expect((await member.session()).body.is_operator).toBe(false)
  expect((await owner.cookieOnly('GET', '/dashboard/v1/fleet')).status).toBe(403)
})
