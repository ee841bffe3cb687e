// Replaces page rules of a platform by those of a file, and lists the problems of the file.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { JsonObject } from '../../../domain/bot.ts'
import type { Condition, PageRules } from './page-rules.ts'
import { PAGE_RULES_SCHEMA } from './page-rules-schema.ts'

const validate = new Ajv2020({ allErrors: true }).compile(PAGE_RULES_SCHEMA)

export type Replaced = { readonly pageRules: PageRules; readonly problems: readonly string[] }

/** Each given rule replaces the rule of the same name. With problems all rules stay unchanged. */
export function replacePageRules(builtIn: PageRules, given: JsonObject): Replaced {
  if (!validate(given)) return { pageRules: builtIn, problems: (validate.errors ?? []).map(sentence) }
  const { $schema: _, ...rules } = given
  const pageRules = merged(builtIn, rules as Partial<PageRules>)
  const problems = unknownNames(pageRules)
  return problems.length > 0 ? { pageRules: builtIn, problems } : { pageRules, problems }
}

function merged(builtIn: PageRules, given: Partial<PageRules>): PageRules {
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

/** References to missing controls and sentences: a rule with one would never hold. */
function unknownNames(pageRules: PageRules): readonly string[] {
  const unknown = allNames(pageRules).filter(({ kind, name }) => !Object.hasOwn(pageRules[kind], name))
  return unknown.map(({ kind, name, place }) => `${place} names ${name}, which is not in ${kind}`)
}

function allNames({
  screens,
  notices,
  captionLanguages,
  captionsMenu = [],
  captionDialogs = [],
  inputs = {},
  panels = [],
  rooms,
}: PageRules): readonly Named[] {
  const rules = Object.entries(screens).flatMap(([stage, list]) =>
    list.map(({ when }, index) => ({ when, place: `screens.${stage}.${index}` })),
  )
  const { open = [], list, close } = captionLanguages ?? {}
  const used = { captionsMenu, captionDialogs, panels, 'rooms.follow': rooms?.follow ?? [], inputs: Object.keys(inputs) }
  const controls = { ...notices, ...used, captionLanguages: [...open, ...[list, close].flatMap((it) => it ?? [])] }
  return [
    ...rules.flatMap(({ when, place }) => namesIn(when, place)),
    ...(rooms ? namesIn(rooms.inside, 'rooms.inside') : []),
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

/** Every selector of the page rules, for a browser to read. */
export function selectorsOf({ controls, people, talk, chatLines, captionLanguages, frame, rooms }: PageRules): readonly string[] {
  const signals = Object.values(controls).flatMap((list) => list.flatMap(({ css }) => css ?? []))
  const entries = (captionLanguages?.entries ?? []).map((entry) => entry.replaceAll('%', 'en'))
  return [
    ...signals,
    ...(frame ? [frame] : []),
    ...(rooms?.name ? [rooms.name] : []),
    people.tile,
    people.name,
    ...talk,
    ...chatLines,
    ...entries,
  ]
}
