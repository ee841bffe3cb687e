// Reads the operator's platform tables, JSON files in PLATFORM_TABLES. The bot program checks them.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../domain/bot.ts'
import type { DriverName } from '../domain/platforms.ts'
import { ConfigError } from './setting-readers.ts'

const PROGRAM = fileURLToPath(new URL('../bot/tables.ts', import.meta.url))
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024
const ANSWER_WITHIN_MS = 30_000

export type PlatformTables = ReadonlyMap<DriverName, JsonObject>

/** Throws an error that names the file and the row if a file is invalid. */
export function readPlatformTables(folder: string | undefined): PlatformTables {
  if (!folder) return new Map()
  const files = Object.fromEntries(namesIn(folder).map((name) => [driverOf(name), readTables(folder, name)]))
  const problems = JSON.parse(runTables(['check'], JSON.stringify(files))) as [string, string][]
  const [first] = problems
  if (first) throw new ConfigError(`PLATFORM_TABLES: ${fileOf(first[0])}: ${first[1]}.`)
  return new Map(Object.entries(files) as [DriverName, JsonObject][])
}

/** Runs the bot's tables program and returns its JSON output. */
export function runTables(args: readonly string[], input = ''): string {
  const options = { encoding: 'utf8', input, maxBuffer: MAX_OUTPUT_BYTES, timeout: ANSWER_WITHIN_MS } as const
  return execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, ...args], options)
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
    throw new ConfigError(`PLATFORM_TABLES: cannot read the folder ${folder}. Set it to a readable folder.`)
  }
}

function readTables(folder: string, name: string): JsonObject {
  try {
    const tables: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    if (typeof tables === 'object' && tables !== null && !Array.isArray(tables)) return tables as JsonObject
  } catch (error) {
    throw new ConfigError(`PLATFORM_TABLES: ${name} is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
  throw new ConfigError(`PLATFORM_TABLES: ${name} must be a JSON object.`)
}
