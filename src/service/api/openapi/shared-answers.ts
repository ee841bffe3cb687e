// Moves answers that most operations share into components.responses.
import { isJson, type Json, mapValues } from './components.ts'

const NAMES: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
  500: 'ServerFault',
  503: 'Unavailable',
}

export type Shared = { readonly paths: Json; readonly responses: Json }

/** The most frequent answer of each status becomes shared. Other answers stay in their operation. */
export function sharedAnswers(paths: Json): Shared {
  const mostFrequentByName = new Map<string, string>()
  for (const [status, name] of Object.entries(NAMES)) mostFrequentByName.set(name, mostFrequent(answersWith(paths, status)))
  const shorten = (answer: unknown, status: string): unknown => {
    const name = NAMES[status]
    return name && mostFrequentByName.get(name) === JSON.stringify(answer) ? { $ref: `#/components/responses/${name}` } : answer
  }
  const shortened = ofOperations(paths, (operation) => ({ ...operation, responses: mapValues(operation.responses as Json, shorten) }))
  return { paths: shortened, responses: Object.fromEntries([...mostFrequentByName].map(([name, text]) => [name, JSON.parse(text)])) }
}

function answersWith(paths: Json, status: string): string[] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods as Json) as Json[])
  return operations.flatMap(({ responses }) => (isJson(responses) && responses[status] ? [JSON.stringify(responses[status])] : []))
}

function mostFrequent(texts: readonly string[]): string {
  const counted = [...Map.groupBy(texts, (it) => it)].sort(([, a], [, b]) => b.length - a.length)
  return counted[0]?.[0] ?? '{}'
}

function ofOperations(paths: Json, change: (operation: Json) => Json): Json {
  return mapValues(paths, (methods) => mapValues(methods as Json, (operation) => change(operation as Json)))
}
