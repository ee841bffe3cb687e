// The tools of a driver besides browser and meeting, for tests of a driver by itself.
import type { DriverTools } from '../../src/bot/drivers/driver.ts'
import type { BotId } from '../../src/domain/bot.ts'
import { createHttpClient } from '../../src/kit/http-client.ts'

export function hostTools(): Pick<DriverTools, 'botId' | 'isLive' | 'signIn' | 'sdkFolder' | 'tables' | 'http' | 'now'> {
  const http = createHttpClient({ allowPrivate: true })
  return { botId: 'bot_test' as BotId, isLive: false, signIn: null, sdkFolder: null, tables: null, http, now: Date.now }
}
