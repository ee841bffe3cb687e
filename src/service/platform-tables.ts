// The operator's own tables of platforms: JSON files in PLATFORM_TABLES, read once and checked by the program that uses them.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../domain/bot.ts'
import type { Platform } from '../domain/platforms.ts'
import { ConfigError } from './config.ts'

const PROGRAM = fileURLToPath(new URL('../bot/tables.ts', import.meta.url))
const LARGEST_OUTPUT = 16 * 1024 * 1024
const ANSWER_WITHIN_MS = 30_000

export type PlatformTables = ReadonlyMap<Platform, JsonObject>

/** Throws a sentence that names the file and the row, where a file cannot be used. */
export function readPlatformTables(folder: string | undefined): PlatformTables {
  if (!folder) return new Map()
  const files = Object.fromEntries(namesIn(folder).map((name) => [platformOf(name), readTables(folder, name)]))
  const problems = JSON.parse(askTables(['check'], JSON.stringify(files))) as [string, string][]
  const [first] = problems
  if (first) throw new ConfigError(`PLATFORM_TABLES: ${fileOf(first[0])}: ${first[1]}.`)
  return new Map(Object.entries(files) as [Platform, JsonObject][])
}

/** What the program of the bots says of its tables, as JSON. */
export function askTables(args: readonly string[], input = ''): string {
  const options = { encoding: 'utf8', input, maxBuffer: LARGEST_OUTPUT, timeout: ANSWER_WITHIN_MS } as const
  return execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, ...args], options)
}

/** `google-meet.json` is of the platform `google_meet`. */
export function platformOf(name: string): string {
  return name.replace(/\.json$/, '').replaceAll('-', '_')
}

function fileOf(platform: string): string {
  return `${platform.replaceAll('_', '-')}.json`
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    throw new ConfigError(`PLATFORM_TABLES: the folder ${folder} cannot be read.`)
  }
}

function readTables(folder: string, name: string): JsonObject {
  try {
    const tables: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    if (typeof tables === 'object' && tables !== null && !Array.isArray(tables)) return tables as JsonObject
  } catch (error) {
    throw new ConfigError(`PLATFORM_TABLES: ${name} is no JSON: ${error instanceof Error ? error.message : error}`)
  }
  throw new ConfigError(`PLATFORM_TABLES: ${name} must hold a JSON object.`)
}
