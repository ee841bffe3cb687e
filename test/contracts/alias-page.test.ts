// docs/aliases.md: its tables must match the alias tables of the code.
import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { CALENDAR_PROVIDERS } from '../../src/domain/calendar.ts'
import { FIELDS, PROVIDERS } from '../../src/service/api/aliases.ts'
import { type Operation, operationsOf, readDescription } from '../helpers/requests/openapi.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'

const service = serviceForFile()
let operations: readonly Operation[]
let page: string

beforeAll(async () => {
  operations = operationsOf(await readDescription(service.api))
  page = await readFile('docs/aliases.md', 'utf8')
})

/** The rows of the table under a heading, without backticks. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((it) => it.startsWith(`${heading}\n`)) ?? ''
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

const nameAndAlias = ([alias = '', name = '']: readonly string[]) => `${alias} is ${name}`

test('lists every alias path, and the rule for paths without /api/v1', () => {
  const published = operations.flatMap(({ method, path, published: { 'x-alias-of': of } }) => {
    const first = operations.find(({ operationId }) => operationId === of)
    return first ? [{ alias: `${method} ${path}`, name: `${first.method} ${first.path}`, path }] : []
  })
  const [prefixed, others] = [
    published.filter(({ path }) => path.startsWith('/api/v1')),
    published.filter(({ path }) => !path.startsWith('/api/v1')),
  ]
  expect(rowsUnder('Paths').map(nameAndAlias).sort()).toEqual(prefixed.map(({ alias, name }) => `${alias} is ${name}`).sort())
  expect(others.filter(({ path }) => !path.startsWith('/calendar'))).toEqual([])
  const calendar = operations.filter(({ path }) => path.startsWith('/api/v1/calendar'))
  expect(others.map(({ alias }) => alias).sort()).toEqual(
    calendar.map(({ method, path }) => `${method} ${path.slice('/api/v1'.length)}`).sort(),
  )
})

test('lists every alias of a field, and marks those that are rejected', async () => {
  const rows = rowsUnder('Fields')
  expect(rows.map(nameAndAlias).sort()).toEqual(Object.entries(FIELDS).map(nameAndAlias).sort())
  for (const [alias = '', , where = ''] of rows.filter(([, name]) => name?.startsWith('platform') === false || /oauth/.test(name ?? ''))) {
    const body = { meeting_link: 'https://us02web.zoom.us/j/81234567890?pwd=secret.1', zoom: { [alias]: 'x' } }
    expect(where).toMatch(/^refused with 400/)
    expect((await service.api('POST', '/api/v1/bots/create_bot', body)).status).toBe(400)
  }
})

test('lists every alias of speech and calendar providers', () => {
  expect(rowsUnder('Speech providers').map(nameAndAlias).sort()).toEqual([...PROVIDERS].map(nameAndAlias).sort())
  const calendars = Object.entries(CALENDAR_PROVIDERS).flatMap(([provider, { names }]) =>
    names.filter((name) => name !== provider).map((name) => `${name} is ${provider}`),
  )
  expect(rowsUnder('Calendar providers').map(nameAndAlias).sort()).toEqual(calendars.sort())
})
