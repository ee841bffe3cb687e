// Sends the bot's chat messages and reports each when it is sent. Drivers drop the meeting's echo of them.
import type { BotOrders, FromHost } from '../domain/protocol.ts'
import type { MeetingDriver } from './drivers/driver.ts'

export type Chat = Pick<MeetingDriver, 'write'>

type ChatTools = { readonly driver: Chat; readonly now: () => number; readonly report: (report: FromHost) => void }

export function createChat({ botId, fence, spec }: BotOrders, { driver, now, report }: ChatTools): Chat {
  return {
    async write(text) {
      await driver.write(text)
      // The bot's own id is the same in every session, unlike its id in the meeting.
      report({ kind: 'chat', botId, fence, message: { from: botId, name: spec.name, text, at: now() } })
    },
  }
}
