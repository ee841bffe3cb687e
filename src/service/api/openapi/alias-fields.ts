// Documents aliases of fields and paths in the OpenAPI document.
import { FIELDS } from '../aliases.ts'
import { isJson, type Json } from './components.ts'

/** Adds each alias beside its field. */
export function addFieldAliases(schemas: Record<string, Json>): void {
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

type Placed = { readonly path: string; readonly operation: Json }

/** Lists the alias paths of an operation in its description, and names the operation in each alias. */
export function describeAlias(operation: Json, all: readonly Placed[]): Json {
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
