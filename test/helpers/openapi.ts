// The published description of the API as the suites walk it: its operations, the paths that lead to them, and a check of every answer.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Client } from './service.ts'

export type Schema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>

export type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema: Schema }

type Published = {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>
}

export type Description = {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly tags: readonly { readonly name: string }[]
  readonly components: { readonly securitySchemes: Readonly<Record<string, unknown>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Published>>>>
}

export type Operation = {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly opensWith: 'apiKey' | 'operatorToken' | 'nothing'
  /** Names, in the order of the path. */
  readonly pathParameters: readonly string[]
  readonly query: readonly Parameter[]
  readonly body: Schema | null
  /** Null: described without a JSON body. */
  readonly answers: ReadonlyMap<number, Schema | null>
  readonly published: Published
}

export async function readDescription(client: Client): Promise<Description> {
  const { status, body } = await client('GET', '/api/v1/openapi.json')
  if (status !== 200) throw new Error(`The description of the API answers ${status}`)
  return body
}

export function operationsOf(description: Description): Operation[] {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, published]) => operation(description, path, method, published)),
  )
}

function operation({ security }: Description, path: string, method: string, published: Published): Operation {
  const [scheme] = published.security ?? security
  return {
    operationId: published.operationId ?? `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    opensWith: !scheme ? 'nothing' : Object.hasOwn(scheme, 'operatorToken') ? 'operatorToken' : 'apiKey',
    pathParameters: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? ''),
    query: (published.parameters ?? []).filter((parameter) => parameter.in === 'query'),
    body: schemaIn(published.requestBody?.content),
    answers: new Map(Object.entries(published.responses).map(([status, { content }]) => [Number(status), schemaIn(content)])),
    published,
  }
}

function schemaIn(content: Content | undefined): Schema | null {
  return content?.['application/json']?.schema ?? null
}

/** Paths that the description leaves out because another one answers the same. */
const OTHER_PATHS: Readonly<Record<string, readonly string[]>> = {
  listScheduledBots: ['/api/v1/calendar/schedule', '/api/v1/calendar/scheduled_bots'],
  cancelScheduledBot: ['/api/v1/calendar/scheduled/{bot_id}'],
  listCalendars: ['/api/v1/calendar/calendars'],
  listCalendarEvents: ['/api/v1/calendar/events/list'],
}

/** The published operations, and each again under every other path it answers on. */
export function withOtherPaths(operations: readonly Operation[]): Operation[] {
  const prefixed = operations.flatMap((it) => [it, ...(OTHER_PATHS[it.operationId] ?? []).map((path) => ({ ...it, path }))])
  const unprefixed = prefixed.filter(({ path }) => path.startsWith('/api/v1/calendar')).map((it) => ({ ...it, path: it.path.slice(7) }))
  return [...prefixed, ...unprefixed]
}

/** Where a request arrives: at an operation, nowhere, or not even at a path. A HEAD request is a GET whose body is kept back. */
export function operationAt(operations: readonly Operation[], method: string, target: string): Operation | 'nowhere' | 'malformed' {
  const segments = decoded(target.split(/[?#]/)[0] ?? '')?.split('/')
  if (!segments) return 'malformed'
  const found = operations.filter((it) => answers(it, method) && leadsTo(it.path, segments))
  // A fixed word wins over a parameter.
  return found.sort((a, b) => a.pathParameters.length - b.pathParameters.length)[0] ?? 'nowhere'
}

/** A HEAD of remove_bot would remove the bot, so there is none. */
function answers({ method, operationId }: Operation, asked: string): boolean {
  return asked === method || (asked === 'HEAD' && method === 'GET' && operationId !== 'removeBot')
}

function leadsTo(path: string, segments: readonly string[]): boolean {
  const template = path.split('/')
  return template.length === segments.length && template.every((part, index) => part.startsWith('{') || part === segments[index])
}

function decoded(path: string): string | null {
  try {
    return decodeURI(path)
  } catch {
    return null // A percent sign that encodes nothing.
  }
}

const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })
const compiled = new Map<Schema, ReturnType<typeof ajv.compile>>()

/** What keeps `value` from fitting the schema, or null. */
export function misfit(schema: Schema, value: unknown): string | null {
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  return validate(value) ? null : ajv.errorsText(validate.errors)
}
