// emissary doctor --bundle and --replay: write a field kit of a whole join, and read one with this version.
import { existsSync } from 'node:fs'
import type { JsonObject } from '../../domain/bot.ts'
import type { Check, DoorVisit, FieldOrders } from '../../domain/doctor.ts'
import type { FieldStep } from '../../domain/field-kit.ts'
import type { Config } from '../config.ts'
import { askBotProgram, examine } from '../doctor/examine.ts'
import { headerOf, readFieldKit, writeFieldKit } from '../doctor/field-kit-file.ts'
import { browserIn } from '../open-sandboxes.ts'
import { readPageRules } from '../page-rules.ts'
import { failOnProblem, inSandbox, lineOf, type Visit } from './doctor-visit.ts'
import { say } from './terminal.ts'

export const DEFAULT_STAY_SECONDS = '60'
const MOST_STAY_SECONDS = 3_600

type Wanted = Pick<FieldOrders, 'withPictures'> & { readonly file: string | undefined; readonly stay: string; readonly json: boolean }
type Kept = { readonly file: string; readonly steps: number; readonly withheld: number; readonly verdict: string }

export async function recordFieldKit(
  config: Config,
  { visit, identity }: Visit,
  { file, stay, json, withPictures }: Wanted,
): Promise<void> {
  if (!visit) throw new Error('--bundle needs a meeting link.')
  const field = { staySeconds: secondsIn(stay), withPictures }
  const target = file ?? defaultFile(visit)
  if (existsSync(target)) throw new Error(`${target} exists already. Name another file.`)
  say(
    `Joining ${visit.spec.meeting.url.split('?')[0]} as ${visit.spec.name} for ${field.staySeconds} s. Ctrl-C leaves and writes the file …`,
  )
  const { checks, steps } = await inSandbox(config, (sandboxes) =>
    examine(config, { browser: browserIn(config), sandboxes, visit, identity, field, comparesFor: null }),
  )
  const kept = steps && (await keep(config, { file: target, visit, checks, steps }))
  if (json) process.stdout.write(`${JSON.stringify({ checks, bundle: kept })}\n`)
  else for (const line of [...checks.map(lineOf), ...(kept ? asText(kept) : [])]) process.stdout.write(`${line}\n`)
  failOnProblem(checks)
}

export async function replayFieldKit(config: Config, file: string): Promise<void> {
  const kit = await readFieldKit(file)
  const { driver, at, emissary } = kit.header
  const pageRules = (await readPageRules(config.PAGE_RULES)).get(driver) ?? null
  say(`Replaying a join by the driver ${driver} of ${new Date(at).toISOString()}, recorded by Emissary ${emissary} …`)
  const { replayed, checks } = await inSandbox(config, (sandboxes) =>
    askBotProgram({ browser: browserIn(config), sandboxes }, { visit: null, field: null, comparesFor: null, replay: { kit, pageRules } }),
  )
  if (!replayed) throw new Error(checks.map(({ says }) => says).join('. '))
  const { lines, differences } = replayed
  for (const line of lines) process.stdout.write(`${line}\n`)
  process.stdout.write(
    differences === 0
      ? '\nThis version sees the same.\n'
      : `\nThis version differs in ${differences} ${differences === 1 ? 'place' : 'places'}.\n`,
  )
  if (differences > 0) process.exitCode = 1
}

/** Without values that may be secret, such as a proxy's password. */
function settingsIn({ BROWSER_MODE, CHROMIUM_PATH, CHROMIUM_FLAGS, PAGE_RULES }: Config): JsonObject {
  const flags = CHROMIUM_FLAGS.map((flag) => flag.split('=')[0])
  return {
    BROWSER_MODE,
    CHROMIUM_FLAGS: flags,
    CHROMIUM_PATH: CHROMIUM_PATH ? 'set' : 'not set',
    PAGE_RULES: PAGE_RULES ? 'set' : 'not set',
  }
}

function secondsIn(text: string): number {
  const seconds = Number(text)
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MOST_STAY_SECONDS)
    throw new Error(`--stay must be a whole number of seconds, at most ${MOST_STAY_SECONDS}.`)
  return seconds
}

function defaultFile({ driver }: DoorVisit): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[:T]/g, '-')
  return `emissary-${driver.replaceAll('_', '-')}-${time}.jsonl.gz`
}

type Found = {
  readonly file: string
  readonly visit: DoorVisit
  readonly checks: readonly Check[]
  readonly steps: readonly FieldStep[]
}

async function keep(config: Config, { file, visit, checks, steps }: Found): Promise<Kept> {
  await writeFieldKit(file, { header: headerOf({ driver: visit.driver, checks, settings: settingsIn(config) }), steps })
  const verdict = steps.findLast((step) => step.kind === 'verdict')?.verdict ?? 'none'
  return { file, steps: steps.length, withheld: steps.filter(({ kind }) => kind === 'withheld').length, verdict }
}

function asText({ file, steps, withheld, verdict }: Kept): readonly string[] {
  const left = withheld > 0 ? `, ${withheld} of them left out because something private remained` : ''
  return ['', `verdict  ${verdict}`, `kept in  ${file} (${steps} steps${left})`, `read it  zcat ${file} | less    before you attach it`]
}
