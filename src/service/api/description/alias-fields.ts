// Other names in the description: fields that a request may call otherwise, and paths that lead to the same operation.
import { FIELDS } from '../aliases.ts'
import { isJson, type Json } from './components.ts'

/** Each schema with a field that has another name gets the other name, too. */
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

const sameAs = (field: string) => ({ description: `Another name of \`${field}\`, which counts where both are sent.`, 'x-alias-of': field })

type Placed = { readonly path: string; readonly operation: Json }

/** An operation says where else it answers; another path of it says whose it is. */
export function describeAlias(operation: Json, all: readonly Placed[]): Json {
  const { 'x-alias-of': of, operationId, description } = operation
  if (of !== undefined) {
    const first = all.find((it) => it.operation.operationId === of)?.path
    // The page shows each operation once; the paths stand in its description.
    return { ...operation, description: `Another path of \`${of}\`: use ${first}.`, 'x-scalar-ignore': true }
  }
  const paths = all.filter((it) => it.operation['x-alias-of'] === operationId).map(({ path }) => path)
  if (paths.length === 0) return operation
  const also = `Also answers at ${paths.map((path) => `\`${path}\``).join(', ')}.`
  return { ...operation, description: description === undefined ? also : `${description} ${also}` }
}
