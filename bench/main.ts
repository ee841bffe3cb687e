// npm run bench -- <name>: measures one thing and compares it with its budget.
import { parseArgs } from 'node:util'
import { api } from './api/api.ts'
import { backup } from './backup.ts'
import { capture } from './capture/capture.ts'
import { cost } from './cost/cost.ts'
import { crash } from './crash/crash.ts'
import { KINDS } from './crash/faults.ts'
import { dashboard } from './dashboard.ts'
import { density } from './density.ts'
import { endurance } from './endurance.ts'
import { fleet } from './fleet.ts'
import { CannotRun } from './harness/programs.ts'
import { asJson, asText, type Report } from './harness/report.ts'
import { join } from './join.ts'
import { list } from './list/list.ts'
import { live } from './live/live.ts'
import type { BenchOptions } from './options.ts'
import { MEDIA_PATHS, PLATFORMS } from './options.ts'
import { postcall } from './postcall/postcall.ts'
import { schedule } from './schedule/schedule.ts'
import { speech } from './speech/speech.ts'
import { webhooks } from './webhooks/webhooks.ts'

type Bench = { readonly about: string; readonly run: (options: BenchOptions) => Promise<Report> }

const BENCHES: Readonly<Record<string, Bench>> = {
  api: { about: 'create_bot and status reads over 32 connections', run: api },
  backup: { about: 'backup, restore and move of 900,000 rows and a gigabyte of objects', run: backup },
  capture: { about: 'a recording bot beside a filmed screen; of google-meet, teams and zoom headless and headed', run: capture },
  cost: { about: 'a bot from create to Done, by deliverable and step, beside a filmed screen', run: cost },
  crash: { about: 'faults at random moments under load: kills, cut and frozen databases', run: crash },
  dashboard: { about: 'scrolling the dashboard’s list of 10,000 bots, beside one page of them', run: dashboard },
  density: { about: 'bots on this machine, one by one, until frames are lost', run: density },
  endurance: { about: 'half an hour of one bot in a busy meeting, without growth', run: endurance },
  fleet: { about: 'create_bot to claimed on one to four service processes', run: fleet },
  join: { about: 'create_bot to InMeeting in the built-in room', run: join },
  list: { about: 'list with two custom_attr filters over 1,000,000 bots of 50 workspaces', run: list },
  live: { about: 'sound at the speaker to PCM at a live-audio receiver', run: live },
  postcall: { about: 'a recording of four people to files: streams, mixed audio, grid and speaker view', run: postcall },
  schedule: { about: '10,000 of 1,000,000 scheduled bots due at one instant, on four nodes', run: schedule },
  speech: { about: 'forty minutes of speech and live voices, recognised on this machine', run: speech },
  webhooks: { about: 'deliveries to 1,000 receivers, 10 % of which hang', run: webhooks },
}

const USAGE = `Usage: npm run bench -- <name> [--json] [--plans] [--profile] [--cpu-profile <folder>] [--platform <name>] [--minutes <n>]
       npm run bench -- crash [--count <n>] [--kinds <a,b>] [--seed <n>] [--json]

  --json     the last line of the output is one JSON object
  --plans    shows how PostgreSQL answers (list)
  --profile  CPU seconds by thread of workers and browsers (capture, cost, density)
  --cpu-profile  the service writes a CPU profile into this folder
  --platform ${PLATFORMS.join(' or ')} (capture: room, endurance: google-meet)
  --media    ${MEDIA_PATHS.join(' or ')}: whether the page of a Google Meet decodes its sound itself (capture)
  --minutes  how long it lasts (endurance: 30), or the length of the call that becomes Done (postcall: 4)
  --count    faults of each kind (crash: 20)
  --kinds    some of ${KINDS.join(',')} (crash)
  --seed     of the moments of faults (crash)

${Object.entries(BENCHES)
  .map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`)
  .join('\n')}`

const OPTIONS = {
  help: { type: 'boolean' },
  json: { type: 'boolean' },
  plans: { type: 'boolean' },
  profile: { type: 'boolean' },
  'cpu-profile': { type: 'string' },
  platform: { type: 'string' },
  media: { type: 'string' },
  minutes: { type: 'string' },
  count: { type: 'string' },
  kinds: { type: 'string' },
  seed: { type: 'string' },
} as const

const { values, positionals } = readArguments()
const name = positionals[0]
const bench = BENCHES[name ?? '']

if (name === undefined || values.help) console.log(USAGE)
else if (!bench) {
  console.error(`There is no bench named ${name}.\n\n${USAGE}`)
  process.exitCode = 1
} else {
  await show(name, bench).catch((error: unknown) => {
    if (!(error instanceof CannotRun)) throw error
    console.error(error.message)
    process.exitCode = 1
  })
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS })
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
    process.exit(1)
  }
}

async function show(name: string, { run }: Bench): Promise<void> {
  const { plans = false, profile = false, 'cpu-profile': cpuProfile, json } = values
  const report = await run({
    plans,
    profile,
    cpuProfile,
    platform: oneOf('platform', PLATFORMS),
    media: oneOf('media', MEDIA_PATHS),
    kinds: values.kinds?.split(','),
    minutes: numberIn('minutes', 1),
    count: numberIn('count', 1),
    seed: numberIn('seed', 0),
  })
  console.log(`\n${asText(name, report)}`)
  if (json) console.log(asJson(name, report))
  if (report.voids?.length) process.exitCode = 1
}

function oneOf<Choice extends string>(option: 'platform' | 'media', choices: readonly Choice[]): Choice | undefined {
  const text = values[option]
  const choice = choices.find((it) => it === text)
  if (text !== undefined && !choice) throw new CannotRun(`--${option} is ${choices.join(' or ')}, not ${text}.`)
  return choice
}

function numberIn(option: 'minutes' | 'count' | 'seed', least: number): number | undefined {
  const text = values[option]
  const number = text === undefined ? undefined : Number(text)
  if (number !== undefined && !(number >= least)) throw new CannotRun(`--${option} is a number from ${least} on, not ${text}.`)
  return number
}
