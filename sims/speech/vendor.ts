// A speech vendor's HTTP server: routes, a log of requests, really decoded audio, and faults on demand.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { runProcess } from '../../src/kit/process.ts'
import { recogniseTones, type ToneWord } from './tone-words.ts'

export type Reply = { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown }

export type Asked = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** A fault instead of the transcript: another answer, a lost connection before or within it, or no answer. */
export type Misfortune = Reply | 'drop' | 'cut' | 'hang'

export type Route = {
  readonly method: string
  readonly path: RegExp
  /** Faults apply to this route. */
  readonly isMain?: boolean
  /** `parts` are the groups of `path`. */
  answer(asked: Asked, parts: readonly string[]): Reply | Promise<Reply>
}

export type SpeechSim = {
  readonly baseUrl: string
  readonly key: string
  readonly asked: Asked[]
  readonly sounds: RecognisedAudio[]
  /** One for each of the next main requests. */
  readonly misfortunes: Misfortune[]
  /** Changes every answer with a transcript. */
  mangle: ((answer: unknown) => unknown) | null
  close(): Promise<void>
}

export type RecognisedAudio = {
  readonly seconds: number
  readonly format: string
  readonly bytes: number
  readonly words: readonly ToneWord[]
}

export const KEY = 'key-of-the-workspace'

export async function serveVendor(routes: (sim: SpeechSim) => readonly Route[]): Promise<SpeechSim> {
  const asked: Asked[] = []
  const misfortunes: Misfortune[] = []
  const server = createServer((request, response) => {
    handle(sim, table, request, response).catch((error: unknown) => response.writeHead(599).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sim: SpeechSim = {
    baseUrl,
    key: KEY,
    asked,
    sounds: [],
    misfortunes,
    mangle: null,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  const table = routes(sim)
  return sim
}

async function handle(sim: SpeechSim, routes: readonly Route[], request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', sim.baseUrl)
  const { method = '', headers } = request
  const asked = { method, path: url.pathname, query: url.searchParams, headers, body: await bodyOf(request) }
  sim.asked.push(asked)
  const route = routes.find((one) => one.method === method && one.path.test(asked.path))
  const misfortune = route?.isMain ? sim.misfortunes.shift() : undefined
  if (!route) send(response, { status: 404, body: { message: `No ${method} ${asked.path} here` } })
  else if (typeof misfortune === 'object') send(response, misfortune)
  else if (misfortune === 'drop') request.socket.destroy()
  else if (misfortune !== 'hang') await answer(sim, route, asked, response, misfortune === 'cut')
}

async function answer(sim: SpeechSim, route: Route, asked: Asked, response: ServerResponse, isCut: boolean): Promise<void> {
  const reply = await route.answer(asked, route.path.exec(asked.path)?.slice(1) ?? [])
  const isWords = route.isMain && (reply.status ?? 200) === 200
  const body = isWords && sim.mangle ? sim.mangle(structuredClone(reply.body)) : reply.body
  if (!isCut) send(response, { ...reply, body })
  else response.writeHead(200, { 'content-length': 10_000 }).write(JSON.stringify(body).slice(0, 20), () => response.destroy())
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const body = Buffer.concat(parts)
  const promised = request.headers['content-length']
  if (promised !== undefined && Number(promised) !== body.length)
    throw new Error(`Content-Length is ${promised}, but the body has ${body.length} bytes`)
  return body
}

/** Null: not audio. Results are cached. */
export async function decode(sim: SpeechSim, sound: Buffer): Promise<RecognisedAudio | null> {
  const name = createHash('sha256').update(sound).digest('hex')
  const recognised = known.get(name) ?? (await recognise(sound).catch(() => null))
  if (!recognised) return null
  known.set(name, recognised)
  sim.sounds.push(recognised)
  return recognised
}

const known = new Map<string, RecognisedAudio>()

async function recognise(sound: Buffer): Promise<RecognisedAudio> {
  const run = (program: string, args: string[]) =>
    runProcess({ program, args, limitMs: 30_000, input: Readable.from([sound]), mostOutputBytes: 256 * 1024 * 1024 })
  const shape = await run('ffprobe', ['-v', 'error', '-show_entries', 'stream=codec_name,sample_rate,channels', '-of', 'csv=p=0', '-'])
  const bytes = await run('ffmpeg', ['-v', 'error', '-i', '-', '-f', 's16le', '-ar', '16000', '-ac', '1', '-'])
  const pcm = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
  return { seconds: pcm.length / 16_000, format: shape.toString().trim(), bytes: sound.length, words: recogniseTones(pcm) }
}

/** A form's fields, lists in their order, and its file. */
export async function readForm(asked: Asked): Promise<{ fields: Record<string, string[]>; file: Buffer | null; fileName: string | null }> {
  const type = asked.headers['content-type'] ?? ''
  const form = await new Response(new Uint8Array(asked.body), { headers: { 'content-type': type } }).formData()
  const fields: Record<string, string[]> = {}
  let [file, fileName]: [Buffer | null, string | null] = [null, null]
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = [...(fields[name] ?? []), value]
    else [file, fileName] = [Buffer.from(await value.arrayBuffer()), value.name]
  }
  return { fields, file, fileName }
}
