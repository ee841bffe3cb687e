// A program that the service runs for drivers' page rules: `print <driver>`, `schema`, or `check` of the page rules on its input.
import { text } from 'node:stream/consumers'
import type { JsonObject } from '../../domain/bot.ts'
import { PAGE_RULES_SCHEMA } from '../drivers/browser-meeting/page-rules-schema.ts'
import { replacePageRules } from '../drivers/browser-meeting/replace-page-rules.ts'
import { driverOf, isDriver } from '../drivers/registry.ts'

const builtIn = (name: string) => (isDriver(name) ? driverOf(name).pageRules : null)

/** Problems, each with its platform. */
function check(files: Readonly<Record<string, JsonObject>>): readonly (readonly [string, string])[] {
  return Object.entries(files).flatMap(([platform, given]) => {
    const pageRules = builtIn(platform)
    const problems = pageRules ? replacePageRules(pageRules, given).problems : ['this platform has no page rules to replace']
    return problems.map((problem) => [platform, problem] as const)
  })
}

const [, , verb, platform = ''] = process.argv
const ANSWERS: Readonly<Record<string, () => unknown>> = {
  print: () => builtIn(platform),
  schema: () => PAGE_RULES_SCHEMA,
  check: async () => check(JSON.parse(await text(process.stdin))),
}
process.stdout.write(JSON.stringify(await ANSWERS[verb ?? '']?.(), null, 2))
