// What a meeting was about, beside everything known of its bot. Made once for each transcript, and kept with it.
import { buffer } from 'node:stream/consumers'
import type { Bot } from '../../../domain/bot.ts'
import { SpeechFailed } from '../../../speech/provider.ts'
import { type Summary, summarise } from '../../../speech/summary.ts'
import { mediaKey } from '../../../storage/store.ts'
import { findLinkedBot } from '../../db/artefacts.ts'
import { listTranscriptions } from '../../db/transcriptions.ts'
import { readSegments, transcriptKeys } from '../../media/transcript-file.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { BotSummary } from '../schemas/bots.ts'
import { BotParams as params, problems } from '../schemas/common.ts'
import { LinkQuery as querystring } from '../schemas/meetings.ts'
import { detailOf } from './bot-detail.ts'
import { botIn } from './find-bot.ts'

/** A caller waits no longer for a model. */
const MODEL_WITHIN_MS = 60_000

export function summaryRoute(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'Detail with a summary',
    description: 'From the newest transcript: by the configured model, else its key sentences. `summary_source` says which.',
    operationId: 'getBotSummary',
    tags: ['Bots'],
    params,
    querystring,
    response: { 200: BotSummary, ...problems('bot_not_found') },
  }
  app.get('/bots/:bot_id/summary', { schema }, async (request) => {
    const bot = await botIn(request, deps)
    const [details, summary] = await Promise.all([detailOf(deps, bot, request.query), bot.isErased ? null : summaryOf(deps, bot)])
    return {
      bot_details: details,
      summary: summary?.text ?? null,
      summary_source: summary?.source ?? null,
      talk_time: summary ? [...summary.talkTime] : [],
    }
  })
}

/** Null while there is no transcript. */
async function summaryOf(deps: ApiDeps, bot: Bot): Promise<Summary | null> {
  const newest = (await listTranscriptions(deps.db, bot.id)).findLast(({ status }) => status === 'Success')
  if (!newest) return null
  const key = mediaKey(bot.id, `summary-${newest.id}.json`)
  const kept = await deps.store.get(key)
  if (kept) return JSON.parse((await buffer(kept.stream)).toString())
  const segments = await readSegments(deps.store, transcriptKeys(bot.id, newest.id))
  if (!segments) return null
  const turns = segments.map(({ speaker, text, start_time, end_time }) => ({ speaker, text, start: start_time, end: end_time }))
  const endpoint = endpointIn(deps)
  if (!endpoint) return summarise(turns, null, AbortSignal.timeout(MODEL_WITHIN_MS))
  try {
    const summary = await summarise(turns, endpoint, AbortSignal.timeout(MODEL_WITHIN_MS))
    await keep(deps, bot, key, summary)
    return summary
  } catch (error) {
    // The answer says that it is no model's, and the next read asks the model again.
    if (!(error instanceof SpeechFailed) && !isTimeout(error)) throw error
    deps.log.warn({ err: error, botId: bot.id }, 'the summary endpoint failed; key sentences are answered instead')
    return summarise(turns, null, AbortSignal.timeout(MODEL_WITHIN_MS))
  }
}

function endpointIn({ config }: ApiDeps) {
  const { SUMMARY_URL: baseUrl, SUMMARY_API_KEY: apiKey = '', SUMMARY_MODEL: model } = config
  return baseUrl ? { baseUrl, apiKey, model } : null
}

/** What was deleted while the model thought is not kept. */
async function keep({ db, store }: ApiDeps, bot: Bot, key: string, summary: Summary): Promise<void> {
  const before = await findLinkedBot(db, bot.id)
  await store.put(key, Buffer.from(JSON.stringify(summary)), { contentType: 'application/json' })
  const after = await findLinkedBot(db, bot.id)
  if (bot.isErased || before?.deletionEpoch !== after?.deletionEpoch) await store.remove([key])
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}
