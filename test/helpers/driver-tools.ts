// What a driver gets of a host besides its browser and its meeting, for tests that use a driver by itself.
import type { DriverTools } from '../../src/bot/drivers/driver.ts'
import type { BotId } from '../../src/domain/bot.ts'
import { createOutgoing } from '../../src/kit/outgoing.ts'

export function hostTools(): Pick<DriverTools, 'botId' | 'signIn' | 'sdkFolder' | 'tables' | 'outgoing' | 'now'> {
  const outgoing = createOutgoing({ allowPrivate: true })
  return { botId: 'bot_test' as BotId, signIn: null, sdkFolder: null, tables: null, outgoing, now: Date.now }
}
