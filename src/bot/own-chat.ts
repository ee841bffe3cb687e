// The bot's own lines in the chat: reported once the meeting has taken them. Drivers keep the meeting's echo of them to themselves.
import type { BotOrders, FromHost } from '../domain/protocol.ts'
import type { MeetingDriver } from './drivers/driver.ts'

export type Chat = Pick<MeetingDriver, 'write'>

type ChatTools = { readonly driver: Chat; readonly now: () => number; readonly report: (report: FromHost) => void }

export function createChat({ botId, fence, spec }: BotOrders, { driver, now, report }: ChatTools): Chat {
  return {
    async write(text) {
      await driver.write(text)
      // Its id is the same in every session, whatever the meeting calls the bot.
      report({ kind: 'chat', botId, fence, message: { from: botId, name: spec.name, text, at: now() } })
    },
  }
}
