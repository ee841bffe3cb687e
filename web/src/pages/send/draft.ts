// The input of the form, and the request that it makes.
import type { CreateBotData } from '../../api/types.gen.ts'
import { ATTRIBUTE } from '../../bot-search.ts'
import type { FieldRow, Kind } from './fields.ts'

export type Body = CreateBotData['body']

/** By the path of the field. Empty or missing if nothing was entered. */
export type Draft = Readonly<Record<string, string>>

/** Provider options are merged into the object with the provider's name. */
export const PROVIDER_OPTIONS = 'provider options'

type Reading = (text: string, draft: Draft) => unknown

const READINGS: Readonly<Record<Kind, Reading>> = {
  text: (text) => text.trim(),
  'long text': (text) => text,
  moment: (text) => new Date(text).toISOString(),
  number: Number,
  choice: (text) => text,
  'yes or no': (text) => text === 'yes',
  list: (text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  attributes: (text) => Object.fromEntries([...text.matchAll(ATTRIBUTE)].map(([, name, value]) => [name, value])),
  provider: (text, draft) => (draft[PROVIDER_OPTIONS]?.trim() ? { [text]: JSON.parse(draft[PROVIDER_OPTIONS]) } : text),
  json: (text) => JSON.parse(text),
}

/** `problems` has a message for each field, by the path of the field. */
export type Made = { readonly body: Body; readonly problems: Readonly<Record<string, string>> }

export function bodyOf(draft: Draft, fields: readonly Pick<FieldRow, 'path' | 'kind'>[]): Made {
  const body: Record<string, unknown> = { meeting_link: draft.meeting_link?.trim() ?? '' }
  const problems: Record<string, string> = {}
  for (const { path, kind } of fields) {
    const text = draft[path] ?? ''
    if (text.trim() === '' || path === 'meeting_link') continue
    try {
      put(body, path.split('.'), READINGS[kind](text, draft))
    } catch {
      problems[path] = 'Invalid JSON.'
    }
  }
  return { body: body as Body, problems }
}

function put(into: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    into[name] = value
    return
  }
  into[name] ??= {}
  put(into[name] as Record<string, unknown>, rest, value)
}
