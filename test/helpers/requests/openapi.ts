// The published API description for the suites: its operations, their paths, and a check of every answer.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Client } from '../service/service.ts'

export type Schema = {
  readonly type?: string | readonly string[]
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

type Content = Readonly<Record<string, Media>>

export type Media = {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly style?: string
  readonly schema: Schema
}

type Published = {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly deprecated?: boolean
  readonly 'x-alias-of'?: string
  readonly requestBody?: { readonly content: Content; readonly required?: boolean }
  readonly responses: Readonly<
    Record<string, { readonly description?: string; readonly content?: Content; readonly headers?: Readonly<Record<string, unknown>> }>
  >
}

export type Description = {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly tags: readonly { readonly name: string }[]
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, unknown>>
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Published['responses']
  }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Published>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Published }>>
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

/** The document as it is published. */
export async function readDocument(client: Client): Promise<Description> {
  const { status, body } = await client('GET', '/api/v1/openapi.json')
  if (status !== 200) throw new Error(`The description of the API answers ${status}`)
  return body
}

/** The document with every reference resolved. */
export async function readDescription(client: Client): Promise<Description> {
  const document = await readDocument(client)
  return resolver(document)(document) as Description
}

/** Each reference resolves to one object, so that a schema is compiled once for all its uses. */
function resolver(document: unknown): (value: unknown) => unknown {
  const found = new Map<string, unknown>()

  function follow(ref: string): unknown {
    if (!found.has(ref)) found.set(ref, resolve(at(ref, document)))
    return found.get(ref)
  }

  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...rest } = value as Readonly<Record<string, unknown>>
    const own = Object.fromEntries(Object.entries(rest).map(([name, it]) => [name, resolve(it)]))
    if (typeof $ref !== 'string') return own
    return Object.keys(own).length === 0 ? follow($ref) : { ...(follow($ref) as object), ...own }
  }

  return resolve
}

/** The target of a reference such as `#/components/schemas/ErrorAnswer`. */
function at(ref: string, document: unknown): unknown {
  const found = ref
    .split('/')
    .slice(1)
    .reduce<unknown>((it, part) => Object(it)[part], document)
  if (found === undefined) throw new Error(`The description refers to ${ref}, which does not exist`)
  return found
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
    query: (published.parameters ?? []).filter((parameter) => parameter.in === 'query').map(byExample),
    body: schemaIn(published.requestBody?.content),
    answers: new Map(Object.entries(published.responses).map(([status, { content }]) => [Number(status), schemaIn(content)])),
    published,
  }
}

function schemaIn(content: Content | undefined): Schema | null {
  return content?.['application/json']?.schema ?? null
}

/** A parameter with aliases is sent under one of them. */
function byExample(parameter: Parameter): Parameter {
  return parameter.style === 'deepObject' ? { ...parameter, name: `${parameter.name}[tag]`, schema: { type: 'string' } } : parameter
}

/** The operation of a request, `nowhere` for an unknown path, or `malformed`. A HEAD request is a GET without its body. */
export function operationAt(operations: readonly Operation[], method: string, target: string): Operation | 'nowhere' | 'malformed' {
  const segments = decoded(target.split(/[?#]/)[0] ?? '')?.split('/')
  if (!segments) return 'malformed'
  const found = operations.filter((it) => answers(it, method) && leadsTo(it.path, segments))
  // A literal path segment wins over a parameter.
  return found.sort((a, b) => a.pathParameters.length - b.pathParameters.length)[0] ?? 'nowhere'
}

/** A HEAD of remove_bot would remove the bot, so it is not offered. */
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
    return null // A percent sign without hex digits.
  }
}

const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })
const compiled = new Map<Schema, ReturnType<typeof ajv.compile>>()

/** Why `value` does not fit the schema, or null. */
export function misfit(schema: Schema, value: unknown): string | null {
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  return validate(value) ? null : ajv.errorsText(validate.errors)
}
