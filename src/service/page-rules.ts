// Reads the operator's page rules, JSON files in PAGE_RULES. The bot program checks them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isJsonObject, type JsonObject } from '../domain/bot.ts'
import type { DriverName } from '../domain/platforms.ts'
import { runProcess } from '../kit/process.ts'
import { ConfigError } from './setting-readers.ts'

const PROGRAM = fileURLToPath(new URL('../bot/worker/page-rules.ts', import.meta.url))
const ANSWER_WITHIN_MS = 30_000

/** The operator's own page rules of each driver that has some. */
export type OwnPageRules = ReadonlyMap<DriverName, JsonObject>

/** Throws an error that names the file and the rule if a file is invalid. */
export async function readPageRules(folder: string | undefined): Promise<OwnPageRules> {
  if (!folder) return new Map()
  const files = Object.fromEntries(namesIn(folder).map((name) => [driverOf(name), readFile(folder, name)]))
  const problems = JSON.parse(await runPageRules(['check'], JSON.stringify(files))) as [string, string][]
  const [first] = problems
  if (first) throw new ConfigError(`PAGE_RULES: ${fileOf(first[0])}: ${first[1]}.`)
  return new Map(Object.entries(files) as [DriverName, JsonObject][])
}

/** Runs the bot's page rules program and returns its JSON output. */
export async function runPageRules(args: readonly string[], input = ''): Promise<string> {
  const printed = await runProcess({
    program: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', PROGRAM, ...args],
    input: [Buffer.from(input)],
    limitMs: ANSWER_WITHIN_MS,
  })
  return String(printed)
}

/** `google-meet.json` is of the driver `google_meet`. */
export function driverOf(name: string): string {
  return name.replace(/\.json$/, '').replaceAll('-', '_')
}

function fileOf(platform: string): string {
  return `${platform.replaceAll('_', '-')}.json`
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    throw new ConfigError(`PAGE_RULES: cannot read the folder ${folder}. Set it to a readable folder.`)
  }
}

function readFile(folder: string, name: string): JsonObject {
  try {
    const pageRules: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    if (isJsonObject(pageRules)) return pageRules
  } catch (error) {
    throw new ConfigError(`PAGE_RULES: ${name} is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
  throw new ConfigError(`PAGE_RULES: ${name} must be a JSON object.`)
}
