// Pictures of a bot's browser during its meeting.
import type { BotId } from '../../../domain/bot.ts'
import type { Db } from '../database.ts'
import { hasRow, rowsOf } from '../query.ts'
import type { Claim } from './claims.ts'

/** `key`: where the store has the picture. */
export type Screenshot = { readonly at: Date; readonly key: string }

/** False: the bot's data was deleted, or the claim is no longer the bot's. */
export function insertScreenshot(db: Db, { botId, fence }: Claim, { at, key }: Screenshot): Promise<boolean> {
  return hasRow(db)`
    with kept as (select id from bots where id = ${botId} and fence = ${fence} and erased_at is null for share),
    written as (insert into screenshots (bot_id, at, key) select id, ${at}, ${key} from kept on conflict do nothing)
    select from kept`
}

export function listScreenshots(db: Db, bot: BotId): Promise<Screenshot[]> {
  return rowsOf<Screenshot>(db)`select at, key from screenshots where bot_id = ${bot} order by at`
}
