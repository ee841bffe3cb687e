// Objects inside of schemas that no table names: named after the schema and the field that they stand in.
import { isJson, type Json, mapValues, refTo } from './components.ts'

type Schemas = Record<string, Json>

/** An object with one field is a wrapper, and stays where it is. */
const FEWEST_FIELDS = 2

export function withNestedNamed(schemas: Schemas): Schemas {
  const result: Schemas = {}

  function inside(schema: Json, name: string): Json {
    return mapValues(schema, (part, keyword) => {
      if (keyword === 'properties' && isJson(part)) return mapValues(part, (it, field) => outside(it, name + inWords(field)))
      return keyword === 'examples' ? part : outside(part, name)
    })
  }

  function outside(value: unknown, name: string): unknown {
    if (Array.isArray(value)) return value.map((it) => outside(it, name))
    if (!isJson(value)) return value
    const schema = inside(value, name)
    if (!isJson(schema.properties) || Object.keys(schema.properties).length < FEWEST_FIELDS) return schema
    if (name in schemas) throw new Error(`description: two schemas would be called ${name}`)
    result[name] = schema
    return refTo(name)
  }

  for (const [name, schema] of Object.entries(schemas)) result[name] = inside(schema, name)
  return result
}

function inWords(field: string): string {
  return field
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
