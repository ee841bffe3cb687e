// The tools of a driver besides browser and meeting, for tests of a driver by itself.
import type { DriverTools } from '../../../src/bot/drivers/driver.ts'
import type { BotId } from '../../../src/domain/bot.ts'
import { createHttpClient } from '../../../src/kit/http-client.ts'

type WorkerTools = Omit<DriverTools, 'browser' | 'display' | 'spec' | 'scripts'>

/** A bot that stays in its browser. */
export function workerTools(): WorkerTools {
  const http = createHttpClient({ allowPrivate: true })
  const stays = { freshBrowser: () => Promise.reject(new Error('There is no other browser')), onRefused: async () => undefined }
  return {
    botId: 'bot_test' as BotId,
    isLive: false,
    signIn: null,
    identity: null,
    sdkFolder: null,
    pageRules: null,
    http,
    now: Date.now,
    ...stays,
  }
}
