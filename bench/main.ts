// npm run bench -- <name>: measures one thing for real, beside what it may cost.
import { parseArgs } from 'node:util'
import { api } from './api.ts'
import { capture } from './capture.ts'
import { CannotRun } from './capture-programs.ts'
import { KINDS } from './crash/faults.ts'
import { crash } from './crash.ts'
import { dashboard } from './dashboard.ts'
import { density } from './density.ts'
import { endurance } from './endurance.ts'
import { join } from './join.ts'
import { list } from './list.ts'
import { live } from './live.ts'
import { postcall } from './postcall.ts'
import { asJson, asText, type Report } from './report.ts'
import type { BenchOptions } from './server.ts'
import { speech } from './speech.ts'
import { MEDIA_PATHS, PLATFORMS } from './venue.ts'
import { webhooks } from './webhooks.ts'

type Bench = { readonly about: string; readonly run: (options: BenchOptions) => Promise<Report> }

const BENCHES: Readonly<Record<string, Bench>> = {
  api: { about: 'create_bot and status reads over 32 connections', run: api },
  capture: { about: 'a recording bot beside a filmed screen; of google-meet and teams headless and headed', run: capture },
  crash: { about: 'faults at random moments under load: kills, cut and frozen databases', run: crash },
  dashboard: { about: 'scrolling the dashboard’s list of 10,000 bots, beside one page of them', run: dashboard },
  density: { about: 'bots on this machine, one by one, until frames are lost', run: density },
  endurance: { about: 'half an hour of one bot in a busy meeting, without growth', run: endurance },
  join: { about: 'create_bot to InMeeting in the built-in room', run: join },
  list: { about: 'list with two custom_attr filters over 1,000,000 bots of 50 workspaces', run: list },
  live: { about: 'sound at the speaker to PCM at a live-audio receiver', run: live },
  postcall: { about: 'a recording of four people to files: streams, mixed audio, grid and speaker view', run: postcall },
  speech: { about: 'forty minutes of speech and live voices, recognised on this machine', run: speech },
  webhooks: { about: 'deliveries to 1,000 receivers, 10 % of which hang', run: webhooks },
}

const USAGE = `Usage: npm run bench -- <name> [--json] [--plans] [--profile <folder>] [--platform <name>] [--minutes <n>]
       npm run bench -- crash [--count <n>] [--kinds <a,b>] [--seed <n>] [--json]

  --json     the last line of the output is one JSON object
  --plans    shows how PostgreSQL answers (list)
  --profile  the service writes a CPU profile into this folder
  --platform ${PLATFORMS.join(' or ')} (capture: room, endurance: google-meet)
  --media    ${MEDIA_PATHS.join(' or ')}: whether the page of a Google Meet decodes its sound itself (capture)
  --minutes  how long it lasts (endurance: 30)
  --count    faults of each kind (crash: 20)
  --kinds    some of ${KINDS.join(',')} (crash)
  --seed     of the moments of faults (crash)

${Object.entries(BENCHES)
  .map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`)
  .join('\n')}`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    plans: { type: 'boolean' },
    profile: { type: 'string' },
    platform: { type: 'string' },
    media: { type: 'string' },
    minutes: { type: 'string' },
    count: { type: 'string' },
    kinds: { type: 'string' },
    seed: { type: 'string' },
  },
})
const name = positionals[0]
const bench = BENCHES[name ?? '']

if (name === undefined) console.log(USAGE)
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

async function show(name: string, { run }: Bench): Promise<void> {
  const { plans = false, profile, json } = values
  const report = await run({
    ...{ plans, profile, platform: oneOf('platform', PLATFORMS), media: oneOf('media', MEDIA_PATHS), kinds: values.kinds?.split(',') },
    ...{ minutes: numberIn('minutes', 1), count: numberIn('count', 1), seed: numberIn('seed', 0) },
  })
  console.log(`\n${asText(name, report)}`)
  if (json) console.log(asJson(name, report))
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
