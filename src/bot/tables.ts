// A program that the service runs for drivers' tables: `print <driver>`, `schema`, or `check` of the tables on its input.
import { text } from 'node:stream/consumers'
import type { JsonObject } from '../domain/bot.ts'
import { driverOf, isDriver } from './drivers/registry.ts'
import { replaceTables } from './drivers/web-client/replace-tables.ts'
import { TABLES_SCHEMA } from './drivers/web-client/tables-schema.ts'

const builtIn = (name: string) => (isDriver(name) ? driverOf(name).tables : null)

/** Problems, each with its platform. */
function check(files: Readonly<Record<string, JsonObject>>): readonly (readonly [string, string])[] {
  return Object.entries(files).flatMap(([platform, given]) => {
    const tables = builtIn(platform)
    const problems = tables ? replaceTables(tables, given).problems : ['this platform has no tables to replace']
    return problems.map((problem) => [platform, problem] as const)
  })
}

const [, , verb, platform = ''] = process.argv
const ANSWERS: Readonly<Record<string, () => unknown>> = {
  print: () => builtIn(platform),
  schema: () => TABLES_SCHEMA,
  check: async () => check(JSON.parse(await text(process.stdin))),
}
process.stdout.write(JSON.stringify(await ANSWERS[verb ?? '']?.(), null, 2))
