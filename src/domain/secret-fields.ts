// Which fields of a request are secrets, in any section of it. People see requests without them.
import type { JsonObject } from './bot.ts'

const SECRET_FIELDS = /^(zak_url|obf_url|.*(api_?key|token|secret|password|authorization))$/i

/** The request as people see it: without token URLs and credentials. */
export function withoutSecrets(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, name === 'custom_attributes' ? value : hidden(name, value)]))
}

function hidden(name: string, value: unknown): unknown {
  if (SECRET_FIELDS.test(name)) return '[hidden]'
  if (Array.isArray(value)) return value.map((item) => hidden('', item))
  return typeof value === 'object' && value !== null ? withoutSecrets(value as JsonObject) : value
}
