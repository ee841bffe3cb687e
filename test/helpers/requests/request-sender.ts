// Sends generated requests over real connections, with ids that the service issued, and collects new ids.
import { Pool } from 'undici'
import { ADMIN_TOKEN, API_KEY } from '../service/service.ts'
import { fieldsIn, type WireAnswer } from './answer-rules.ts'
import type { GeneratedRequest } from './generated-requests.ts'
import { filledIn, type IdName } from './schema-values.ts'

export type RequestSender = {
  /** Also returns the request as sent, with its ids filled in. */
  send(request: GeneratedRequest): Promise<{ readonly sent: GeneratedRequest; readonly answer: WireAnswer }>
  learn(name: IdName, id: string): void
  close(): Promise<void>
}

/** Ids remembered of each kind. Older ones are dropped, because most of their objects have been removed. */
const MOST_KNOWN = 60

/** The kind of the id in each field of an answer. */
const SOURCES: Readonly<Record<string, IdName>> = {
  bot_id: 'bot_id',
  transcript_id: 'transcript_id',
  login_id: 'login_id',
  domain: 'domain',
  workspace_id: 'id',
  key_id: 'key_id',
  nextCursor: 'cursor',
}

export function openRequestSender(url: string, connections: number): RequestSender {
  const pool = new Pool(url, { connections })
  const known = new Map<IdName, string[]>()

  const learn = (name: IdName, id: string) => known.set(name, [id, ...(known.get(name) ?? [])].slice(0, MOST_KNOWN))
  const idFor = (name: IdName, index: number) => {
    const ids = known.get(name) ?? []
    return ids[index % ids.length] ?? `unknown-${name}`
  }

  return {
    learn,
    async send(request) {
      const sent = {
        ...request,
        target: filledIn(request.target, idFor),
        body: request.body === null ? null : filledIn(request.body, idFor),
      }
      const answer = await exchange(pool, sent)
      const fields = fieldsIn(answer)
      for (const [field, name] of Object.entries(SOURCES)) {
        const id = fields[field]
        if (typeof id === 'string') learn(name, id)
      }
      return { sent, answer }
    },
    close: () => pool.close(),
  }
}

async function exchange(pool: Pool, { method, target, headers, body, token }: GeneratedRequest): Promise<WireAnswer> {
  const key = target.startsWith('/admin') ? ADMIN_TOKEN : API_KEY
  const response = await pool.request({
    method,
    path: target,
    headers: { ...headers, ...(token === 'right' && { authorization: `Token ${key}` }) },
    body,
  })
  const text = await response.body.text()
  return {
    status: response.statusCode,
    requestId: String(response.headers['x-request-id'] ?? ''),
    contentType: String(response.headers['content-type'] ?? ''),
    retryAfter: String(response.headers['retry-after'] ?? ''),
    text,
    json: parsed(text),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The rule `isJson` reports it.
  }
}
