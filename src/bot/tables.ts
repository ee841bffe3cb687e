// A program for the service, which knows no platform's tables: `print <platform>`, `schema`, or `check` of what comes on its input.
import { text } from 'node:stream/consumers'
import type { JsonObject } from '../domain/bot.ts'
import { isJoinable, type Platform } from '../domain/platforms.ts'
import { driverOf } from './drivers/registry.ts'
import { replaceTables } from './drivers/web-client/replace-tables.ts'
import { TABLES_SCHEMA } from './drivers/web-client/tables-schema.ts'

const builtIn = (platform: string) => (isJoinable(platform as Platform) ? driverOf(platform as Platform).tables : null)

/** Problems, each with the platform it is of. */
function check(files: Readonly<Record<string, JsonObject>>): readonly (readonly [string, string])[] {
  return Object.entries(files).flatMap(([platform, given]) => {
    const tables = builtIn(platform)
    const problems = tables ? replaceTables(tables, given).problems : ['there are no tables of this platform to be replaced']
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
