// Generates web/src/api, the dashboard's client, from the OpenAPI documents of this code: node scripts/web-client.ts
// With a stamp file as argument it does so only if the documents have changed since. No service has to run.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { isProvider, SPEECH_PROVIDERS, worksLive } from '../src/domain/speech-providers.ts'
import { createLog } from '../src/kit/log.ts'
import { CreateBotBody } from '../src/service/api/bots/create/schema.ts'
import type { ApiDeps } from '../src/service/api/deps.ts'
import { createServer } from '../src/service/api/server.ts'
import { readConfig } from '../src/service/config.ts'
import { createMetrics } from '../src/service/operations/metrics.ts'

const ROOT = join(import.meta.dirname, '..')
export const WEB_CLIENT = join(ROOT, 'web', 'src', 'api')

type Operation = { readonly deprecated?: boolean; readonly responses?: Readonly<Record<string, unknown>> }
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: object }
}

/** The paths of the documents: the API's, and that of the dashboard's own routes. */
export const DOCUMENTS = ['/api/v1/openapi.json', '/dashboard/v1/openapi.json']

/** Writes one client for all documents. A name is the same schema in all of them, because `named` rejects a second schema of a name. */
export async function writeWebClient(documents: readonly Document[], folder: string): Promise<void> {
  await createClient({
    input: merged(documents),
    output: { path: folder, module: { extension: '.ts' } },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    logs: { level: 'silent', file: false },
  })
  writeFileSync(join(folder, 'constants.gen.ts'), constants())
}

/** Keeps operations at their first path, without errors and 202 responses: these have one shape, which the dashboard parses itself. */
function merged(documents: readonly Document[]) {
  const paths = documents.flatMap((document) => Object.entries(document.paths))
  const kept = paths.map(([path, methods]) => {
    const first = Object.entries(methods).filter(([, { deprecated }]) => !deprecated)
    return [path, Object.fromEntries(first.map(([method, operation]) => [method, withoutErrors(operation)]))]
  })
  const components = documents.map((document) => document.components)
  const schemas = Object.assign({}, ...components.map((it) => it.schemas))
  return {
    openapi: '3.1.0',
    info: { title: 'Emissary', version: '1' },
    paths: Object.fromEntries(kept),
    components: Object.assign({}, ...components, { schemas }),
  }
}

function withoutErrors({ responses = {}, ...operation }: Operation): Operation {
  return { ...operation, responses: Object.fromEntries(Object.entries(responses).filter(([status]) => Number(status) < 202)) }
}

/** Both documents of this code. A description needs only what routes read when they are added. With a token, the operator's are added too. */
async function documentsOfThisCode(): Promise<readonly Document[]> {
  const config = readConfig({ ADMIN_TOKEN: 'a token that no server accepts' })
  const log = createLog({ level: 'silent', pretty: false })
  const deps = { config, log, metrics: createMetrics(), now: () => new Date(), rooms: { mode: 'off' } }
  const app = await createServer(deps as object as ApiDeps, '')
  const documents = await Promise.all(DOCUMENTS.map(async (path) => (await app.inject(path)).json<Document>()))
  await app.close()
  return documents
}

/** What the dashboard's forms take from schemas. */
function constants(): string {
  const values = {
    CREATE_BOT: CreateBotBody,
    PROVIDERS: providers.filter((name) => !worksLive(name)),
    LIVE_PROVIDERS: providers.filter(worksLive),
  }
  return Object.entries(values)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)} as const\n`)
    .join('')
}

const providers = Object.keys(SPEECH_PROVIDERS).filter(isProvider)

const [, program, stamp] = process.argv
if (program === import.meta.filename) {
  const documents = await documentsOfThisCode()
  const sources = [JSON.stringify(documents), constants(), readFileSync(program), readFileSync(join(ROOT, 'package-lock.json'))]
  const hash = sources.reduce((sum, source) => sum.update(source), createHash('sha256')).digest('hex')
  // An unchanged client keeps its modification times, so that the dashboard is not built anew.
  const isCurrent =
    stamp !== undefined && existsSync(join(WEB_CLIENT, 'types.gen.ts')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash
  if (!isCurrent) await writeWebClient(documents, WEB_CLIENT)
  if (stamp) writeFileSync(stamp, hash)
}
