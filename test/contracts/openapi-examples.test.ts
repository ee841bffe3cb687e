// Every example and default of the OpenAPI document fits its schema, also its formats.
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { beforeAll, expect, test } from 'vitest'
import { ONE_LINE } from '../../src/service/api/http/text-rules.ts'
import { readDocument } from '../helpers/requests/openapi.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'

type Node = Readonly<Record<string, unknown>>

/** A value with the JSON pointer of its schema. */
type Shown = { readonly at: string; readonly value: unknown }

const service = serviceForFile()
let document: Node
let shown: readonly Shown[]

beforeAll(async () => {
  document = (await readDocument(service.api)) as unknown as Node
  shown = shownIn(document, '#', false)
})

/** Collects the examples of media types, parameters and headers, and the examples and defaults of schemas. */
function shownIn(node: unknown, at: string, isSchema: boolean): Shown[] {
  if (Array.isArray(node)) return node.flatMap((it, index) => shownIn(it, `${at}/${index}`, isSchema))
  if (!isNode(node)) return []
  const own = isSchema ? ofSchema(node, at) : besideSchema(node, at)
  const inner = Object.entries(node).filter(([key]) => !VALUES.includes(key))
  return [...own, ...inner.flatMap(([key, it]) => within(key, it, `${at}/${escaped(key)}`, isSchema))]
}

const VALUES = ['example', 'examples', 'default', 'enum', 'const']
/** Their keys are names and not keywords. */
const NAMED = ['properties', 'patternProperties', 'schemas', '$defs']

function within(key: string, node: unknown, at: string, isSchema: boolean): Shown[] {
  if (!NAMED.includes(key)) return shownIn(node, at, isSchema || key === 'schema')
  return Object.entries(isNode(node) ? node : {}).flatMap(([name, it]) => shownIn(it, `${at}/${escaped(name)}`, true))
}

function ofSchema({ examples, example, default: fallback }: Node, at: string): Shown[] {
  const values = [...(Array.isArray(examples) ? examples : []), ...[example, fallback].filter((it) => it !== undefined)]
  return values.map((value) => ({ at, value }))
}

function besideSchema({ schema, example, examples }: Node, at: string): Shown[] {
  if (!isNode(schema)) return []
  const values = isNode(examples) ? Object.values(examples).map((it) => (isNode(it) ? it.value : it)) : []
  return [...values, ...(example === undefined ? [] : [example])].map((value) => ({ at: `${at}/schema`, value }))
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
const escaped = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

test('fits each example and default into its schema', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addFormat('line', ONE_LINE)
  ajv.addFormat('binary', true)
  ajv.addSchema(document, 'document')
  const misfits = shown.flatMap(({ at, value }) => {
    const validate = ajv.getSchema(`document${at}`)
    if (!validate) return [`${at} is not found`]
    return validate(value) ? [] : [`${at}: ${ajv.errorsText(validate.errors)}`]
  })
  expect(misfits).toEqual([])
})

test('shows no field name as the value of the field', () => {
  const repeated = shown.flatMap(({ at, value }) => fieldsThatRepeatTheirName(value).map((field) => `${at}: ${field}`))
  expect(repeated).toEqual([])
})

function fieldsThatRepeatTheirName(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fieldsThatRepeatTheirName)
  if (!isNode(value)) return []
  return Object.entries(value).flatMap(([field, it]) => ([it].flat().includes(field) ? [field] : fieldsThatRepeatTheirName(it)))
}

test('finds examples of media types, parameters and schemas', () => {
  const kinds = { media: /\/content\/[^/]+\/schema$/, parameter: /\/parameters\/\d+\/schema$/, schema: /^#\/components\/schemas\// }
  for (const [kind, place] of Object.entries(kinds)) expect(shown.filter(({ at }) => place.test(at)).length, kind).toBeGreaterThan(0)
})
