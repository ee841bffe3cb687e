// What signed links lead to. No key: the link is the right to read. The bytes go through, never into memory.

import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Bot, BotId } from '../../../domain/bot.ts'
import { counted } from '../../../domain/counted.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { type ByteRange, rangeIn } from '../../../storage/byte-range.ts'
import { type ObjectInfo, participantEventsKey } from '../../../storage/store.ts'
import { findLinkedBot, type LinkedBot, listParticipantEvents } from '../../db/artefacts.ts'
import type { SignedLink } from '../../media/links.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { presentParticipantEvents } from '../present.ts'
import { ErrorAnswer, openProblems } from '../schemas/common.ts'
import { Bytes, Elsewhere, type LinkQuery, MediaParams } from '../schemas/meetings.ts'

type MediaRequest = FastifyRequest<{ Params: Static<typeof MediaParams> }>

export function mediaRoutes(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'Read what a signed link leads to',
    description: 'Links come from the reads of a bot. `Range` is honoured, so players can seek and downloads go on where they broke off.',
    operationId: 'readMedia',
    tags: ['Recordings'],
    security: [],
    params: MediaParams,
    response: {
      200: { description: 'The whole object', ...Bytes },
      206: { description: 'The part that was asked for', ...Bytes },
      307: { description: 'It can be had from the store itself, for a moment', ...Elsewhere },
      416: { description: 'The object has no such part', ...ErrorAnswer },
      ...openProblems('forbidden', 'not_found'),
    },
  }
  const path = '/media/:token/:file_name'
  app.get(path, { schema, exposeHeadRoute: false }, async (request, reply) => {
    const content = await contentOf(request, deps)
    const elsewhere = await content.directLink?.()
    if (elsewhere) return sendTo(reply, elsewhere)
    const range = wantedRange(request, content)
    if (range === 'unsatisfiable') return unsatisfiable(reply, content)
    const { body, info, part } = await content.open(range)
    describe(reply, request, info, part)
    return reply.send(body)
  })
  // The server's own HEAD of a GET would read the whole object to say how long it is.
  app.head(path, { schema: { hide: true, params: MediaParams } }, async (request, reply) => {
    describe(reply, request, (await contentOf(request, deps)).info, null)
    return reply.send()
  })
}

export type Signer = (key: string, fileName?: string) => SignedLink

/** Makes links to what is the bot's; they die with its data. */
export async function signerFor(
  { db, links }: Pick<ApiDeps, 'db' | 'links'>,
  { id: botId }: Bot,
  { expires_in = 3600 }: Static<typeof LinkQuery>,
): Promise<Signer> {
  const epoch = (await findLinkedBot(db, botId))?.deletionEpoch ?? 0
  return (key, fileName) => links.sign({ botId, key, epoch, expiresInSeconds: expires_in, ...(fileName && { fileName }) })
}

type Opened = { readonly body: Readable | Buffer; readonly info: ObjectInfo; readonly part: ByteRange | null }
type Content = {
  readonly info: ObjectInfo
  open(range: ByteRange | null): Promise<Opened>
  /** Where the store itself serves it, if it does. */
  directLink?(): Promise<string | null>
}

const gone = () => new ServiceError('not_found', 'There is nothing here any more: it was deleted.')

async function contentOf({ params }: MediaRequest, deps: ApiDeps): Promise<Content> {
  const link = deps.links.check(params.token, params.file_name)
  if (link.kind === 'forged') throw new ServiceError('forbidden', 'This link is not valid.')
  if (link.kind === 'expired') throw new ServiceError('forbidden', 'This link has expired. Read the bot again for a new one.')
  const bot = await findLinkedBot(deps.db, link.botId)
  if (bot?.deletionEpoch !== link.epoch) throw gone()
  if (link.key === participantEventsKey(link.botId)) return rendered(await participantEvents(deps, link.botId, bot))
  return stored(deps, link.key, params.file_name)
}

async function stored({ store }: ApiDeps, key: string, fileName: string): Promise<Content> {
  const info = await store.stat(key)
  if (!info) throw gone()
  return {
    info,
    directLink: () => store.directLink(key, { fileName }),
    async open(range) {
      const found = await store.get(key, range ? { range } : {})
      if (!found) throw gone()
      const { stream: body, range: part, ...info } = found
      return { body, info, part }
    },
  }
}

/** Made from the database whenever it is read. */
function rendered(bytes: Buffer): Content {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
  const info = { size: bytes.length, contentType: 'application/json', etag } as const
  return { info, open: async (part) => ({ info, part, body: part ? bytes.subarray(part.first, part.last + 1) : bytes }) }
}

async function participantEvents({ db }: ApiDeps, botId: BotId, bot: LinkedBot): Promise<Buffer> {
  return Buffer.from(JSON.stringify(presentParticipantEvents(bot, await listParticipantEvents(db, botId))))
}

/** A range of another version of the object is of no use to whoever has a part of this one. */
function wantedRange({ headers }: FastifyRequest, { info }: Content): ByteRange | 'unsatisfiable' | null {
  const condition = headers['if-range']
  if (condition !== undefined && condition !== info.etag) return null
  return rangeIn(headers.range, info.size)
}

function describe(reply: FastifyReply, { params }: MediaRequest, info: ObjectInfo, part: ByteRange | null): void {
  reply.headers({
    'content-type': info.contentType,
    'content-length': part ? part.last - part.first + 1 : info.size,
    'content-disposition': `inline; filename="${asciiOf(params.file_name)}"; filename*=UTF-8''${extendedOf(params.file_name)}`,
    'accept-ranges': 'bytes',
    etag: info.etag,
    'cache-control': 'private',
    'x-content-type-options': 'nosniff',
  })
  if (part) reply.code(206).header('content-range', `bytes ${part.first}-${part.last}/${info.size}`)
}

function sendTo(reply: FastifyReply, location: string): FastifyReply {
  reply.code(307).headers({ location, 'cache-control': 'no-store' })
  return reply.send({ message: 'The store itself has it, for a moment.' })
}

function unsatisfiable(reply: FastifyReply, { info }: Content): FastifyReply {
  reply.code(416).header('content-range', `bytes */${info.size}`)
  return reply.send({ message: `The file has ${counted(info.size, 'byte')}, and none in the range that was asked for.` })
}

/** Only names that we signed come here: they hold no quotes and no control characters. */
function asciiOf(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/g, '_')
}

function extendedOf(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)
}
