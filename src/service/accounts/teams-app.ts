// The app by which bots identify themselves to Microsoft Teams (Bot Identification Program), and its tokens.
import { createHash } from 'node:crypto'
import type { WorkspaceId } from '../../domain/bot.ts'
import type { BotIdentity } from '../../domain/protocol.ts'
import { codeIn } from '../../kit/failure.ts'
import { type HttpClient, NetworkError } from '../../kit/http-client.ts'
import { parsedOrNull } from '../../kit/parsed-or-null.ts'
import { teamsAppOf } from '../db/accounts/accounts.ts'
import type { Db } from '../db/database.ts'
import { openOrNull, type Vault } from './secrets.ts'

export type TeamsApp = { readonly tenant: string; readonly clientId: string; readonly secret: string }
export type BotTokens = (app: TeamsApp) => Promise<BotIdentity>

const SCOPE = 'https://ic3.teams.office.com/.default'
/** A join must not wait longer for its token. */
const ANSWER_WITHIN_MS = 5_000
const MOST_ANSWER_BYTES = 64 * 1024
/** A bot may take this long from its orders to the link. */
const MARGIN_MS = 5 * 60_000
/** Many bots that start at once ask once, also in vain. */
const REFUSAL_KEPT_MS = 30_000
const LONGEST_REASON = 200

type TokenDeps = { readonly http: Pick<HttpClient, 'request'>; readonly loginUrl: string; readonly now: () => Date }
type Answer = { readonly identity: BotIdentity; readonly keptMs: number }
type Kept = { readonly identity: Promise<BotIdentity>; untilMs: number }

/** Returns the function that gets a token. Tokens are kept until shortly before they end. */
export function createBotTokens(deps: TokenDeps): BotTokens {
  const kept = new Map<string, Kept>()
  const nowMs = () => deps.now().getTime()
  return (app) => {
    for (const [key, { untilMs }] of kept) if (untilMs <= nowMs()) kept.delete(key)
    const key = createHash('sha256').update(JSON.stringify(app)).digest('hex')
    const known = kept.get(key)
    if (known) return known.identity
    const answer = requestToken(deps, app)
    const entry: Kept = { identity: answer.then(({ identity }) => identity), untilMs: Number.POSITIVE_INFINITY }
    kept.set(key, entry)
    return answer.then(({ identity, keptMs }) => {
      entry.untilMs = nowMs() + keptMs
      return identity
    })
  }
}

async function requestToken({ http, loginUrl }: TokenDeps, { tenant, clientId, secret }: TeamsApp): Promise<Answer> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret, scope: SCOPE }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(form).toString()
  const limits = { maxBytes: MOST_ANSWER_BYTES, timeoutMs: ANSWER_WITHIN_MS }
  try {
    const answer = await http.request(`${loginUrl}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`, { body, headers, ...limits })
    const { access_token: token, expires_in, ...problem } = Object(parsedOrNull(answer.body.toString()))
    if (answer.status >= 400 || typeof token !== 'string') return refused(clientId, reasonIn(problem, answer.status))
    return { identity: { kind: 'token', token }, keptMs: (Number(expires_in) || 0) * 1000 - MARGIN_MS }
  } catch (error) {
    // Whatever the fault is, the bot joins.
    return refused(clientId, `Microsoft could not be reached${codeIn(error instanceof NetworkError ? error.cause : error)}`)
  }
}

function refused(clientId: string, why: string): Answer {
  const message = `The bot could not identify itself to Microsoft Teams as the app ${clientId}: ${why}`
  return { identity: { kind: 'refused', message }, keptMs: REFUSAL_KEPT_MS }
}

/** `{error, error_description}`. The description continues with ids of the request. */
function reasonIn({ error, error_description: text }: Readonly<Record<string, unknown>>, status: number): string {
  const [line = ''] = typeof text === 'string' ? text.split(/\r?\n| Trace ID:/) : []
  return [typeof error === 'string' ? error : `HTTP ${status}`, line]
    .filter((it) => it !== '')
    .join(': ')
    .slice(0, LONGEST_REASON)
}

type IdentityDeps = { readonly db: Db; readonly vault: Vault; readonly tokens: BotTokens; readonly app: TeamsApp | null }

/** By the workspace's own app, or else the server's. Null: neither exists. */
export async function teamsIdentityFor({ db, vault, tokens, app }: IdentityDeps, workspace: WorkspaceId): Promise<BotIdentity | null> {
  const own = await teamsAppOf(db, workspace)
  if (!own) return app && tokens(app)
  const secret = openOrNull(vault, ownerOf(workspace), own.secret)
  // The server's app does not replace one that cannot be opened, because the workspace chose its own.
  if (secret === null) return refused(own.clientId, 'its secret cannot be decrypted; set teams_bot_client_secret again').identity
  return tokens({ ...own, secret })
}

/** Differs from the owner of the Zoom app’s secret: sealed secrets cannot be exchanged. */
export const ownerOf = (workspace: WorkspaceId): string => `${workspace}/teams_bot`
