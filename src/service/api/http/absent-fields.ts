// Null in an optional field of a request is no value: some clients send every field they know, set or not.

type Schema = {
  readonly type?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** Drops fields that are null, optional and not nullable. Objects without declared properties are left as they are. */
export function withoutAbsent(schema: Schema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return schema.items ? value.map((item) => withoutAbsent(schema.items as Schema, item)) : value
  const { properties, required = [] } = schema
  if (!properties) return value
  const isAbsent = ([name, inner]: [string, unknown]) =>
    inner === null && Object.hasOwn(properties, name) && !required.includes(name) && !takesNull(properties[name])
  const kept = Object.entries(value).filter((entry) => !isAbsent(entry))
  return Object.fromEntries(
    kept.map(([name, inner]) => [name, Object.hasOwn(properties, name) ? withoutAbsent(properties[name] ?? {}, inner) : inner]),
  )
}

function takesNull({ type, const: only, enum: allowed, anyOf }: Schema = {}): boolean {
  return [type].flat().includes('null') || only === null || allowed?.includes(null) === true || anyOf?.some(takesNull) === true
}
