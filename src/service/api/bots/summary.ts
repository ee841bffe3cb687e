// GET /bots/{bot_id}/summary: the detail record with a summary, which is made once per transcript and stored.
import { text } from 'node:stream/consumers'
import type { Bot } from '../../../domain/bot.ts'
import { SpeechFailed } from '../../../speech/provider.ts'
import { type Summary, summarise } from '../../../speech/summary.ts'
import { mediaKey } from '../../../storage/store.ts'
import { findLinkedBot } from '../../db/fleet/bots.ts'
import { listTranscriptions } from '../../db/media/transcriptions.ts'
import { readTurns, transcriptKeys } from '../../media/transcript/transcript-file.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { LinkQuery as querystring } from '../media/signer.ts'
import { operationsOf, BotParams as params, problems } from '../schema.ts'
import { detailOf } from './detail.ts'
import { botIn } from './find-bot.ts'
import { BotSummary } from './schema.ts'

const operation = operationsOf('Bots')

/** Time limit for the summary model. */
const MODEL_WITHIN_MS = 60_000

export function summaryRoute(app: Api, deps: ApiDeps): void {
  const schema = operation('getBotSummary', 'Read the detail record with a summary', {
    description: 'The summary of the newest transcript: by the configured model, or else its key sentences. `summary_source` tells which.',
    params,
    querystring,
    response: { 200: BotSummary, ...problems('bot_not_found') },
  })
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

async function summaryOf(deps: ApiDeps, bot: Bot): Promise<Summary | null> {
  const newest = (await listTranscriptions(deps.db, bot.id)).findLast(({ status }) => status === 'Success')
  if (!newest) return null
  const key = mediaKey(bot.id, `summary-${newest.id}.json`)
  const stored = await deps.store.get(key)
  if (stored) return JSON.parse(await text(stored.stream))
  const read = await readTurns(deps.store, transcriptKeys(bot.id, newest.id))
  if (!read) return null
  const turns = read.map(({ speaker, text, start_time, end_time }) => ({ speaker, text, start: start_time, end: end_time }))
  const endpoint = endpointIn(deps)
  if (!endpoint) return summarise(turns, null, AbortSignal.timeout(MODEL_WITHIN_MS))
  try {
    const summary = await summarise(turns, endpoint, AbortSignal.timeout(MODEL_WITHIN_MS))
    await store(deps, bot, key, summary)
    return summary
  } catch (error) {
    // The extractive summary is not stored, so the next read tries the model again.
    if (!(error instanceof SpeechFailed) && !isTimeout(error)) throw error
    deps.log.warn({ err: error, botId: bot.id }, 'SUMMARY_URL failed; answering an extractive summary instead')
    return summarise(turns, null, AbortSignal.timeout(MODEL_WITHIN_MS))
  }
}

function endpointIn({ config }: ApiDeps) {
  const { SUMMARY_URL: baseUrl, SUMMARY_API_KEY: apiKey = '', SUMMARY_MODEL: model } = config
  return baseUrl ? { baseUrl, apiKey, model } : null
}

/** Removes the summary again if the bot was deleted while the model ran. */
async function store({ db, store }: ApiDeps, bot: Bot, key: string, summary: Summary): Promise<void> {
  const before = await findLinkedBot(db, bot.id)
  await store.put(key, Buffer.from(JSON.stringify(summary)), { contentType: 'application/json' })
  const after = await findLinkedBot(db, bot.id)
  if (bot.isErased || before?.deletionEpoch !== after?.deletionEpoch) await store.remove([key])
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}
