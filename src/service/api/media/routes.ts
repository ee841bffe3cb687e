// GET /media: content of signed links. The signature replaces the API key. Objects are streamed, never buffered.
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import type { BotId } from '../../../domain/bot.ts'
import { counted } from '../../../domain/counted.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { type ByteRange, rangeIn } from '../../../storage/byte-range.ts'
import { type ObjectInfo, participantEventsKey } from '../../../storage/store.ts'
import { findLinkedBot, type LinkedBot } from '../../db/fleet/bots.ts'
import { listParticipantEvents } from '../../db/fleet/participant-events.ts'
import { presentParticipantEvents } from '../bots/present.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { ErrorAnswer, NamedObject, openProblems, operationsOf } from '../schema.ts'

const operation = operationsOf('Recordings', { security: [] })

const MediaParams = Type.Object({
  token: Type.String({ description: 'The signed claims and the signature.' }),
  file_name: Type.String({ description: 'The name to save the file as; part of the signature.' }),
})

/** Lists of events are JSON; everything else is binary. */
const Bytes = {
  content: {
    'application/json': { schema: Type.Unsafe<unknown>({ description: 'Lists of events.' }) },
    '*/*': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary', description: 'Screenshots and recordings.' }) },
  },
}

const Elsewhere = NamedObject('StoredElsewhere', { message: Type.String() })

type MediaRequest = FastifyRequest<{ Params: Static<typeof MediaParams> }>

export function mediaRoutes(app: Api, deps: ApiDeps): void {
  const schema = operation('readMedia', 'Read the content of a signed link', {
    description: 'Reads of a bot answer with these links. `Range` is supported, so players can seek and downloads can resume.',
    params: MediaParams,
    response: {
      200: { description: 'The whole object', ...Bytes },
      206: { description: 'The requested range', ...Bytes },
      307: { description: 'Redirect to the object store, valid for two minutes', ...Elsewhere },
      416: { description: 'The range is outside the object', ...ErrorAnswer },
      ...openProblems('forbidden', 'not_found'),
    },
  })
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
  // Fastify's default HEAD would read the whole object.
  app.head(path, { schema: { hide: true, params: MediaParams } }, async (request, reply) => {
    describe(reply, request, (await contentOf(request, deps)).info, null)
    return reply.send()
  })
}

type Opened = { readonly body: Readable | Buffer; readonly info: ObjectInfo; readonly part: ByteRange | null }
type Content = {
  readonly info: ObjectInfo
  open(range: ByteRange | null): Promise<Opened>
  /** A link to the object in the store, if the store serves it directly. */
  directLink?(): Promise<string | null>
}

const gone = () => new ServiceError('not_found', 'The file was deleted.')

async function contentOf({ params }: MediaRequest, deps: ApiDeps): Promise<Content> {
  const link = deps.links.check(params.token, params.file_name)
  if (link.kind === 'forged') throw new ServiceError('forbidden', 'The link is not valid. Read the bot again for a new one.')
  if (link.kind === 'expired') throw new ServiceError('forbidden', 'The link has expired. Read the bot again for a new one.')
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

/** Content that is generated from the database on each read. */
function rendered(bytes: Buffer): Content {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
  const info = { size: bytes.length, contentType: 'application/json', etag } as const
  return { info, open: async (part) => ({ info, part, body: part ? bytes.subarray(part.first, part.last + 1) : bytes }) }
}

async function participantEvents({ db }: ApiDeps, botId: BotId, bot: LinkedBot): Promise<Buffer> {
  return Buffer.from(JSON.stringify(presentParticipantEvents(bot, await listParticipantEvents(db, botId))))
}

/** Ignores Range if If-Range names another version of the object. */
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
  return reply.send({ message: 'See the Location header.' })
}

function unsatisfiable(reply: FastifyReply, { info }: Content): FastifyReply {
  reply.code(416).header('content-range', `bytes */${info.size}`)
  return reply.send({ message: `The Range header is outside the file, which has ${counted(info.size, 'byte')}.` })
}

/** File names are signed, so they contain no quotes and no control characters. */
function asciiOf(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/g, '_')
}

function extendedOf(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)
}
