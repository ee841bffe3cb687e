// Adds an example to every body of the OpenAPI document, built from its schema and example-values.ts.
import { isJson, type Json, mapValues } from './components.ts'
import { BODIES, FIELDS } from './example-values.ts'

export function withExamples(document: Json): Json {
  const { schemas } = document.components as { readonly schemas: Record<string, Json> }
  const media = (it: Json): Json => {
    const { schema, example, examples } = it
    if (example !== undefined || examples !== undefined || !isJson(schema)) return it
    return { ...it, example: exampleOf(schema, '', schemas) }
  }
  const walk = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((it) => walk(it))
    if (!isJson(value)) return value
    return name === 'application/json' ? media(value) : mapValues(value, walk)
  }
  return { ...document, paths: walk(document.paths), webhooks: walk(document.webhooks) }
}

type Schemas = Readonly<Record<string, Json>>

function exampleOf(schema: Json, field: string, schemas: Schemas): unknown {
  const { $ref, examples, anyOf } = schema
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1) ?? ''
    return BODIES[name] ?? exampleOf(schemas[name] ?? {}, field, schemas)
  }
  if (Array.isArray(examples)) return examples[0]
  if (schema.const !== undefined) return schema.const
  if (field in FIELDS && fits(schema, FIELDS[field])) return FIELDS[field]
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (Array.isArray(anyOf)) return exampleOf((anyOf as readonly Json[]).find((it) => it.type !== 'null') ?? {}, field, schemas)
  return ofType(schema, field, schemas)
}

function fits({ type, enum: allowed, anyOf, items }: Json, value: unknown): boolean {
  if (Array.isArray(value)) return type === 'array' && value.every((it) => fits((items ?? {}) as Json, it))
  if (Array.isArray(allowed)) return allowed.includes(value)
  if (Array.isArray(anyOf)) return (anyOf as readonly Json[]).some((it) => fits(it, value))
  const own = value === null ? 'null' : typeof value
  return [type].flat().includes(own) || ([type].flat().includes('integer') && own === 'number')
}

function ofType(schema: Json, field: string, schemas: Schemas): unknown {
  const [type] = [schema.type].flat()
  return (TYPES[String(type)] ?? (() => ({})))(schema, field, schemas)
}

const numberOf = ({ minimum, exclusiveMinimum }: Json): unknown => minimum ?? (exclusiveMinimum === undefined ? 1 : 5)

const TYPES: Readonly<Record<string, typeof exampleOf>> = {
  object: (schema, field, schemas) => (isJson(schema.properties) ? objectOf(schema, schemas) : recordOf(schema, field, schemas)),
  array: ({ items }, field, schemas) => [exampleOf((items ?? {}) as Json, field, schemas)],
  boolean: () => true,
  integer: numberOf,
  number: numberOf,
  string: (_schema, field) => field,
}

/** Answers have two records: messagesBySpeaker in chats, and a bot's StatusTimeline. */
function recordOf({ additionalProperties }: Json, field: string, schemas: Schemas): Json {
  if (!isJson(additionalProperties)) return {}
  return { [field === 'messagesBySpeaker' ? 'p1' : 'InMeeting']: exampleOf(additionalProperties, field, schemas) }
}

/** Leaves out aliases, and optional fields of events. */
function objectOf({ properties, required }: Json, schemas: Schemas): Json {
  const fields = properties as Json
  const isEvent = isJson(fields.event) && fields.event.const !== undefined
  const isShown = (name: string) => !isEvent || (Array.isArray(required) && required.includes(name))
  const own = Object.entries(fields).filter(([name, it]) => isShown(name) && (!isJson(it) || it['x-alias-of'] === undefined))
  return Object.fromEntries(own.map(([name, it]) => [name, exampleOf(it as Json, name, schemas)]))
}
