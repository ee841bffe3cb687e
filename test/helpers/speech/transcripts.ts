// A service whose speech provider is a vendor's local simulator, and ended bots in it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { KEY, type SpeechSim } from '../../../sims/speech/vendor.ts'
import { startDeepgram } from '../../../sims/speech/vendors.ts'
import type { BotId } from '../../../src/domain/bot.ts'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import type { ObjectStore } from '../../../src/storage/store.ts'
import { madeFolders } from '../media/media-meeting.ts'
import { createEndedBot, makeDue } from '../service/ended-bot.ts'
import { type Answer, startTestService, type TestService } from '../service/service.ts'
import { until } from '../until.ts'

export const LONG_MS = 60_000

type LeftBot = { readonly botId: BotId; readonly transcriptId: string }

export type TranscriptBench = {
  readonly service: TestService
  readonly vendor: SpeechSim
  readonly store: ObjectStore
  get(path: string): Promise<Answer>
  transcript(id: string, query?: string): Promise<Answer>
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field in the tests.
  detail(botId: BotId): Promise<any>
  /** Two people whose tones the vendor recognises as one word each: Ann says alpha, then Bob charlie. */
  left(options?: object, wish?: object): Promise<LeftBot>
  /** The same after processing. */
  done(options?: object, wish?: object): Promise<LeftBot>
  /** The events since it left. */
  eventsOf(botId: BotId): Promise<Record<string, unknown>[]>
  stop(): Promise<void>
}

export async function startTranscriptBench(settings: Record<string, string> = {}): Promise<TranscriptBench> {
  const vendor = await startDeepgram()
  const ours = { BOT_WORKERS: '0', DEEPGRAM_API_KEY: KEY, DEEPGRAM_URL: vendor.baseUrl, LOG_LEVEL: 'silent' }
  const service = await startTestService({ ...ours, ...settings })
  const store = await openLocalDisk(join(service.directory, 'objects'))
  const get = (path: string) => service.api('GET', `/api/v1${path}`)
  const detail = async (botId: BotId) => (await get(`/bots/${botId}/detail`)).body.bot_details
  const left = async (options: object = { language: 'en' }, wish: object = {}): Promise<LeftBot> => {
    const recording_config = { transcript: { provider: { deepgram: options } } }
    const botId = await createEndedBot({ api: service.api, db: service.db, store }, { video_required: false, recording_config, ...wish })
    await makeDue(service.db, botId)
    return { botId, transcriptId: (await detail(botId)).transcript_id }
  }
  return {
    service,
    vendor,
    store,
    get,
    detail,
    left,
    transcript: (id, query = '') => get(`/transcript/${id}/get_transcript${query}`),
    async done(options, wish) {
      const it = await left(options, wish)
      await until('the bot is done', async () => (await detail(it.botId)).Status === 'Done', LONG_MS)
      return it
    },
    async eventsOf(botId) {
      const rows = await service.db.selectFrom('events').select('body').where('bot_id', '=', botId).orderBy('seq').execute()
      return rows.map(({ body }) => JSON.parse(body)).filter(({ event }) => !/scheduled|participant/.test(event))
    },
    async stop() {
      await service.stop()
      await vendor.close()
      for (const folder of madeFolders()) rmSync(folder, { recursive: true, force: true })
    },
  }
}
