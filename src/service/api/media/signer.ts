// Signs links to a bot's media.
import Type, { type Static } from 'typebox'
import type { Bot } from '../../../domain/bot.ts'
import { findLinkedBot } from '../../db/fleet/bots.ts'
import type { SignedLink } from '../../media/signed-links.ts'
import type { ApiDeps } from '../deps.ts'

/** The query of every read that answers with links. */
export const LinkQuery = Type.Object({
  expires_in: Type.Optional(Type.Number({ minimum: 60, maximum: 86_400, default: 3600, description: 'Seconds until the links expire.' })),
})

export type Signer = (key: string, fileName?: string) => SignedLink

/** Signs links to the bot's objects. Deleting the bot's data invalidates them. */
export async function signerFor(
  { db, links }: Pick<ApiDeps, 'db' | 'links'>,
  { id: botId }: Bot,
  { expires_in = 3600 }: Static<typeof LinkQuery>,
): Promise<Signer> {
  const epoch = (await findLinkedBot(db, botId))?.deletionEpoch ?? 0
  return (key, fileName) => links.sign({ botId, key, epoch, expiresInSeconds: expires_in, ...(fileName && { fileName }) })
}
