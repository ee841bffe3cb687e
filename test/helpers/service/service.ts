// The real service on a database of its own, with an HTTP client.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../../src/service/config.ts'
import { type ServiceOptions, startService } from '../../../src/service/main.ts'
import { createTestDatabase, type TestDb } from './database.ts'

export const API_KEY = 'a-key-for-tests-0123456789'
export const ADMIN_TOKEN = 'a-token-for-tests-0123456789'
/** The same for all nodes of a database, as in production. */
export const SECRET_KEY = 'a-secret-for-tests-0123456789'

// biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field in the tests.
export type Answer = { readonly status: number; readonly body: any; readonly headers: Headers }

export type Client = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

export type TestService = {
  readonly url: string
  readonly databaseUrl: string
  /** Its DATA_DIR. */
  readonly directory: string
  readonly db: TestDb
  /** The link with which the first person creates an account, with `WITH_DASHBOARD`. */
  readonly setUpUrl: string
  /** With the first workspace's key. */
  readonly api: Client
  readonly operator: Client
  /** A client of another workspace. */
  stranger(options?: { readonly service?: boolean }): Promise<Client>
  /** As SIGTERM with DRAIN_SECONDS. Resolves when no bot is left. */
  drain(): Promise<void>
  stop(): Promise<void>
}

/** A meeting on a platform without a driver, so the bot ends at once. */
export const NO_DRIVER = 'https://call.whatsapp.com/video/AbCdEfGhIjKlMnOpQrStUv'

/** For tests whose bots join meetings. */
export const WITH_BOTS = { BOT_WORKERS: '2' }

/** For tests of the dashboard. */
export const WITH_DASHBOARD = { DASHBOARD: 'on' }

/** Addresses that a browser may reach unless a test sets others. */
const LOOPBACK_ONLY = '"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"'

/** No test reaches beyond this machine: calendar providers have an unreachable address unless a test brings its own. */
const NOWHERE = Object.fromEntries(
  ['GOOGLE_API_URL', 'GOOGLE_OAUTH_URL', 'MICROSOFT_GRAPH_URL', 'MICROSOFT_LOGIN_URL'].map((name) => [name, 'http://127.0.0.1:9']),
)

export async function startTestService(settings: Record<string, string> = {}, options: ServiceOptions = {}): Promise<TestService> {
  const database = await createTestDatabase()
  const directory = await mkdtemp(join(tmpdir(), 'emissary-service-'))
  const config = readConfig({
    PORT: '0',
    DATA_DIR: directory,
    DATABASE_URL: database.url,
    BOOTSTRAP_API_KEY: API_KEY,
    ADMIN_TOKEN,
    SECRET_KEY,
    RATE_LIMIT_PER_MINUTE: '10000000',
    AUTH_FAILURES_PER_MINUTE: '10000000',
    ALLOW_INSECURE_URLS: 'true',
    ZOOM_SDK_KEY: 'zoom-key',
    ZOOM_SDK_SECRET: 'zoom-secret',
    LOG_LEVEL: 'error',
    DASHBOARD: 'off',
    WARM_WORKERS: '0',
    BROWSER_MODE: 'headless',
    BOT_WORKERS: '0',
    CHROMIUM_FLAGS: LOOPBACK_ONLY,
    ...NOWHERE,
    ...settings,
  })
  const service = await startService(config, options)
  const operator = clientOf(service.url, ADMIN_TOKEN)
  return {
    url: service.url,
    databaseUrl: database.url,
    directory,
    db: database.db,
    setUpUrl: service.setUpUrl ?? '',
    api: clientOf(service.url, API_KEY),
    operator,
    async stranger({ service: serviceKey = false } = {}) {
      const { body } = await operator('POST', '/admin/v1/workspaces', { name: 'stranger', user_email: 'stranger@example.com' })
      if (!serviceKey) return clientOf(service.url, body.api_key)
      const { body: key } = await operator('POST', `/admin/v1/workspaces/${body.workspace_id}/keys`, { name: 'machine', service: true })
      return clientOf(service.url, key.api_key)
    },
    drain: () => service.drain(),
    async stop() {
      await service.stop()
      await database.drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export function clientOf(url: string, token: string | null): Client {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token && { authorization: `Token ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, body: isJson && text ? JSON.parse(text) : text, headers: response.headers }
  }
}
