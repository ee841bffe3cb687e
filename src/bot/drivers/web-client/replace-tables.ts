// Replaces rows of a platform's tables by those of a file, and lists the problems of the file.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { JsonObject } from '../../../domain/bot.ts'
import type { Condition, PlatformTables } from './tables.ts'
import { TABLES_SCHEMA } from './tables-schema.ts'

const validate = new Ajv2020({ allErrors: true }).compile(TABLES_SCHEMA)

export type Replaced = { readonly tables: PlatformTables; readonly problems: readonly string[] }

/** Each given row replaces the row of the same name. With problems the tables stay unchanged. */
export function replaceTables(builtIn: PlatformTables, given: JsonObject): Replaced {
  if (!validate(given)) return { tables: builtIn, problems: (validate.errors ?? []).map(sentence) }
  const { $schema: _, ...rows } = given
  const tables = merged(builtIn, rows as Partial<PlatformTables>)
  const problems = unknownNames(tables)
  return problems.length > 0 ? { tables: builtIn, problems } : { tables, problems }
}

function merged(builtIn: PlatformTables, given: Partial<PlatformTables>): PlatformTables {
  return {
    ...builtIn,
    ...given,
    controls: { ...builtIn.controls, ...given.controls },
    sentences: { ...builtIn.sentences, ...given.sentences },
    screens: { ...builtIn.screens, ...given.screens },
    verdicts: { ...builtIn.verdicts, ...given.verdicts },
    notices: { ...builtIn.notices, ...given.notices },
    ...(builtIn.inputs && { inputs: { ...builtIn.inputs, ...given.inputs } }),
  }
}

function sentence({ instancePath, message = 'is wrong', params }: ErrorObject): string {
  const place = instancePath === '' ? 'the file' : instancePath.slice(1).replaceAll('/', '.')
  const named = params.additionalProperty ?? params.propertyName
  const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : ''
  return `${place} ${message}${named === undefined ? '' : ` (${named})`}${allowed}`
}

type Named = { readonly kind: 'controls' | 'sentences'; readonly name: string; readonly place: string }

/** References to missing rows: a rule with one would never hold. */
function unknownNames(tables: PlatformTables): readonly string[] {
  const unknown = allNames(tables).filter(({ kind, name }) => !Object.hasOwn(tables[kind], name))
  return unknown.map(({ kind, name, place }) => `${place} names ${name}, which is not in ${kind}`)
}

function allNames({ screens, notices, captionLanguages, captionsMenu = [], inputs = {}, panels = [] }: PlatformTables): readonly Named[] {
  const rules = Object.entries(screens).flatMap(([stage, list]) =>
    list.map(({ when }, index) => ({ when, place: `screens.${stage}.${index}` })),
  )
  const { open = [], list, close } = captionLanguages ?? {}
  const used = { captionsMenu, panels, inputs: Object.keys(inputs) }
  const controls = { ...notices, ...used, captionLanguages: [...open, ...[list, close].flatMap((it) => it ?? [])] }
  return [
    ...rules.flatMap(({ when, place }) => namesIn(when, place)),
    ...Object.entries(controls).flatMap(([place, names]) => names.map((name): Named => ({ kind: 'controls', name, place }))),
  ]
}

function namesIn(condition: Condition, place: string): readonly Named[] {
  const inner = 'all' in condition ? condition.all : 'any' in condition ? condition.any : 'not' in condition ? [condition.not] : []
  const controls = 'visible' in condition ? condition.visible : 'present' in condition ? condition.present : []
  const sentences = 'sentences' in condition ? condition.sentences : []
  return [
    ...inner.flatMap((it) => namesIn(it, place)),
    ...controls.map((name): Named => ({ kind: 'controls', name, place })),
    ...sentences.map((name): Named => ({ kind: 'sentences', name, place })),
  ]
}

/** Every selector of the tables, for a browser to read. */
export function selectorsOf({ controls, people, talk, chatLines, captionLanguages, frame }: PlatformTables): readonly string[] {
  const signals = Object.values(controls).flatMap((list) => list.flatMap(({ css }) => css ?? []))
  const entries = (captionLanguages?.entries ?? []).map((entry) => entry.replaceAll('%', 'en'))
  return [...signals, ...(frame ? [frame] : []), people.tile, people.name, ...talk, ...chatLines, ...entries]
}
