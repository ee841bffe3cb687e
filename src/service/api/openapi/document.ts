// Builds the OpenAPI document from the routes: adds what no schema can say, such as aliases, examples and webhooks.
import { FIELDS } from '../aliases.ts'
import { answerWithHeaders, sharedAnswers } from './answers.ts'
import { createComponents, isJson, type Json, mapOperations, mapValues, operationsIn, type Placed, refTo } from './components.ts'
import { withExamples } from './examples.ts'
import { withNullForAbsent } from './null-for-absent.ts'
import { webhooks } from './webhooks.ts'

type Schemas = Record<string, Json>

export function finished(collected: Json, { headerPrefix }: { readonly headerPrefix: string }): Json {
  const { schemas, publish } = createComponents()
  const published = publish(collected.paths) as Json
  const hooks = publish(webhooks(headerPrefix))
  addFieldAliases(schemas)
  const paths = mapOperations(published, (operation) => finishedOperation(operation, schemas))
  const operations = operationsIn(paths)
  const components = { ...(collected.components as Json), schemas: inOrder(withNullForAbsent(schemas, paths)), headers: HEADERS }
  const described = mapOperations(paths, (operation) => describeAlias(operation, operations))
  const shown = withExamples({ ...collected, paths: described, webhooks: hooks, components })
  const { paths: short, responses } = sharedAnswers(shown.paths as Json)
  return { ...shown, paths: short, components: { ...components, responses } }
}

/** A document without webhooks, aliases and examples: the dashboard's. */
export function withComponents(collected: Json): Json {
  const { schemas, publish } = createComponents()
  return { ...collected, paths: publish(collected.paths), components: { schemas } }
}

const HEADERS = {
  RetryAfter: { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer', minimum: 1 } },
  RequestId: { description: 'Id of this request in the server’s logs.', schema: { type: 'string' } },
  Location: { description: 'Link to the object, valid for two minutes.', schema: { type: 'string', format: 'uri' } },
}

function finishedOperation(operation: Json, schemas: Schemas): Json {
  const id = String(operation['x-alias-of'] ?? operation.operationId)
  const parameters = operation.parameters as readonly Json[] | undefined
  const body = operation.requestBody as Json | undefined
  return {
    ...operation,
    ...(parameters && { parameters: parameters.map(finishedParameter) }),
    ...(body && { requestBody: requestBody(id, body, schemas) }),
    responses: mapValues(operation.responses as Json, (answer, status) => {
      const named = withNamedContent(`${pascal(id)}Result`, answer as Json, schemas)
      return answerWithHeaders({ id, status: Number(status) }, named)
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

function finishedParameter(parameter: Json): Json {
  const name = String(parameter.name)
  if (name.startsWith('custom_attr[')) return { ...ATTRIBUTES, description: parameter.description }
  return parameter.in === 'header' ? { ...parameter, name: name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()) } : parameter
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

function inOrder(schemas: Schemas): Schemas {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function pascal(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1)
}

/** Adds each alias beside its field. */
function addFieldAliases(schemas: Record<string, Json>): void {
  for (const [name, schema] of Object.entries(schemas)) {
    const { properties } = schema
    if (!isJson(properties)) continue
    const others = Object.entries(FIELDS).flatMap(([alias, field]) =>
      Object.hasOwn(properties, field) ? [[alias, { ...(properties[field] as Json), ...sameAs(field) }]] : [],
    )
    if (others.length > 0) schemas[name] = { ...schema, properties: { ...properties, ...Object.fromEntries(others) } }
  }
}

const sameAs = (field: string) => ({ description: `Alias of \`${field}\`. If both are sent, \`${field}\` wins.`, 'x-alias-of': field })

/** Lists the alias paths of an operation in its description, and names the operation in each alias. */
function describeAlias(operation: Json, all: readonly Placed[]): Json {
  const { 'x-alias-of': of, operationId, description } = operation
  if (of !== undefined) {
    const first = all.find((it) => it.operation.operationId === of)?.path
    // The docs page hides aliases: the operation's description lists them.
    return { ...operation, description: `Alias path of \`${of}\`: use ${first}.`, 'x-scalar-ignore': true }
  }
  const paths = all.filter((it) => it.operation['x-alias-of'] === operationId).map(({ path }) => path)
  if (paths.length === 0) return operation
  const also = `Alias paths: ${paths.map((path) => `\`${path}\``).join(', ')}.`
  return { ...operation, description: description === undefined ? also : `${description} ${also}` }
}
