// Serializes answers by their schemas.
import fastJsonStringify, { type ObjectSchema } from 'fast-json-stringify'

type Serializer = (answer: unknown) => string

/** By schema, because many routes share the error schemas. */
const compiled = new WeakMap<object, Serializer>()

/** Compiles at the first use: compiling all at start doubles the start time. */
export function compileSerializer({ schema }: { readonly schema: unknown }): Serializer {
  const key = schema as ObjectSchema
  return (answer) => {
    const serialize = compiled.get(key) ?? fastJsonStringify(key)
    compiled.set(key, serialize)
    return serialize(answer)
  }
}
