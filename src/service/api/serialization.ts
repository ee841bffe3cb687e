// Writes answers as their schemas say.
import fastJsonStringify, { type ObjectSchema } from 'fast-json-stringify'

type Serializer = (answer: unknown) => string

/** Many routes share the schema of an error. */
const compiled = new WeakMap<object, Serializer>()

/** At the first answer of its kind: a start that compiles everything takes twice as long, and most kinds are never sent. */
export function compileSerializer({ schema }: { readonly schema: unknown }): Serializer {
  const key = schema as ObjectSchema
  return (answer) => {
    const serialize = compiled.get(key) ?? fastJsonStringify(key)
    compiled.set(key, serialize)
    return serialize(answer)
  }
}
