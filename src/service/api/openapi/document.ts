// Builds the OpenAPI document from the routes: adds schema names, aliases, ranges, examples and webhooks.
import type { FastifySchema } from 'fastify'
import { addFieldAliases, describeAlias } from './alias-fields.ts'
import { answerWithHeaders } from './answers.ts'
import { isJson, type Json, mapValues, marked, namedSchemas, published, referring, refTo } from './components.ts'
import { EVENT_SCHEMAS } from './event-payloads.ts'
import { withExamples } from './examples.ts'
import { withNestedNamed } from './nested-names.ts'
import { withNullForAbsent } from './null-for-absent.ts'
import { LISTS, PARAMETERS, REFINEMENTS, TRANSCRIPTS } from './refinements.ts'
import { sharedAnswers } from './shared-answers.ts'
import { webhooks } from './webhooks.ts'

type Schemas = Record<string, Json>

export function namedRoute(schema: FastifySchema): FastifySchema {
  return { ...schema, ...(schema.body !== undefined && { body: marked(schema.body) }), response: marked(schema.response) }
}

export function finished(collected: Json, { headerPrefix }: { readonly headerPrefix: string }): Json {
  const schemas: Schemas = { ...refined(namedSchemas()), ...LISTS, ...TRANSCRIPTS, ...EVENT_SCHEMAS }
  schemas.Moment = { ...schemas.Moment, format: 'date-time' }
  addFieldAliases(schemas)
  const paths = mapValues(published(referring(structuredClone(collected.paths))) as Json, (methods, path) =>
    mapValues(methods as Json, (operation) => finishedOperation(path, operation as Json, schemas)),
  )
  const hooks = webhooks(headerPrefix)
  const components = {
    ...(collected.components as Json),
    schemas: inOrder(withNullForAbsent(withNestedNamed(schemas), paths)),
    headers: HEADERS,
  }
  const shown = withExamples({ ...collected, paths: withAliasNotes(paths as Record<string, Json>), webhooks: hooks, components })
  const { paths: short, responses } = sharedAnswers(shown.paths as Json)
  return { ...shown, paths: short, components: { ...components, responses } }
}

const HEADERS = {
  RetryAfter: { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer', minimum: 1 } },
  RequestId: { description: 'Id of this request in the server’s logs.', schema: { type: 'string' } },
  Location: { description: 'Link to the object, valid for two minutes.', schema: { type: 'string', format: 'uri' } },
}

function finishedOperation(path: string, operation: Json, schemas: Schemas): Json {
  const id = String(operation['x-alias-of'] ?? operation.operationId)
  const parameters = operation.parameters as readonly Json[] | undefined
  const body = operation.requestBody as Json | undefined
  return {
    ...operation,
    ...(parameters && { parameters: parameters.map((it) => finishedParameter(id, it)) }),
    ...(body && { requestBody: requestBody(id, body, schemas) }),
    responses: mapValues(operation.responses as Json, (answer, status) => {
      const named = withNamedContent(`${pascal(id)}Result`, answer as Json, schemas)
      return answerWithHeaders({ id, path, status: Number(status) }, named)
    }),
  }
}

/** In the query: `custom_attr[tag]=sales`. */
const ATTRIBUTES = {
  name: 'custom_attr',
  in: 'query',
  required: false,
  style: 'deepObject',
  explode: true,
  schema: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 10 },
  example: { tag: 'sales' },
}

function finishedParameter(id: string, parameter: Json): Json {
  if (String(parameter.name).startsWith('custom_attr[')) return { ...ATTRIBUTES, description: parameter.description }
  const more = PARAMETERS[id]?.[String(parameter.name)]
  const named = parameter.in === 'header' ? { name: String(parameter.name).replace(/\b[a-z]/g, (letter) => letter.toUpperCase()) } : {}
  return { ...parameter, ...named, schema: { ...(parameter.schema as Json), ...more } }
}

function requestBody(id: string, body: Json, schemas: Schemas): Json {
  const named = withNamedContent(`${pascal(id)}Request`, body, schemas)
  const { $ref } = jsonSchemaIn(named) ?? {}
  const schema = schemas[String($ref).split('/').at(-1) ?? '']
  return { ...named, required: Array.isArray(schema?.required) && schema.required.length > 0 }
}

/** Names an unnamed object after its operation. */
function withNamedContent(name: string, holder: Json, schemas: Schemas): Json {
  const schema = jsonSchemaIn(holder)
  if (schema?.type !== 'object' || !isJson(schema.properties)) return holder
  const { description: _said, ...own } = schema
  schemas[name] ??= own
  return { ...holder, content: { ...(holder.content as Json), 'application/json': { schema: refTo(name) } } }
}

function jsonSchemaIn({ content }: Json): Json | undefined {
  const media = isJson(content) ? content['application/json'] : undefined
  return isJson(media) && isJson(media.schema) ? media.schema : undefined
}

function refined(schemas: Schemas): Schemas {
  for (const [name, fields] of Object.entries(REFINEMENTS)) {
    const schema = schemas[name]
    if (!schema) throw new Error(`openapi: REFINEMENTS names ${name}, which is not in NAMED`)
    const properties = schema.properties as Schemas
    const changed = mapValues(fields, (more, field) => refinedField(properties[field], more as Json))
    schemas[name] = { ...schema, properties: { ...properties, ...changed } }
  }
  return schemas
}

function refinedField(field: Json | undefined, more: Json): Json {
  const { description, items } = field ?? {}
  if ('$ref' in more || 'anyOf' in more) return { ...more, ...(description !== undefined && { description }) }
  return {
    ...field,
    ...more,
    ...(isJson(more.items) && { items: '$ref' in more.items ? more.items : { ...(items as Json), ...more.items } }),
  }
}

function withAliasNotes(paths: Record<string, Json>): Json {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((it) => ({ path, operation: it as Json })),
  )
  return mapValues(paths, (methods) => mapValues(methods as Json, (operation) => describeAlias(operation as Json, operations)))
}

function inOrder(schemas: Schemas): Schemas {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function pascal(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1)
}
