// npm run bench -- <name>: measures one thing for real, beside what it may cost.
import { parseArgs } from 'node:util'
import { api } from './api.ts'
import { capture } from './capture.ts'
import { CannotRun } from './capture-programs.ts'
import { density } from './density.ts'
import { join } from './join.ts'
import { list } from './list.ts'
import { live } from './live.ts'
import { postcall } from './postcall.ts'
import { asJson, asText, type Report } from './report.ts'
import type { BenchOptions } from './server.ts'
import { speech } from './speech.ts'
import { webhooks } from './webhooks.ts'

type Bench = { readonly about: string; readonly run: (options: BenchOptions) => Promise<Report> }

const BENCHES: Readonly<Record<string, Bench>> = {
  api: { about: 'create_bot and status reads over 32 connections', run: api },
  capture: { about: 'a recording bot beside a filmed screen (Xvfb, PulseAudio, ffmpeg)', run: capture },
  density: { about: 'bots on this machine, one by one, until frames are lost', run: density },
  join: { about: 'create_bot to InMeeting in the built-in room', run: join },
  list: { about: 'list with two custom_attr filters over 1,000,000 bots of 50 workspaces', run: list },
  live: { about: 'sound at the speaker to PCM at a live-audio receiver', run: live },
  postcall: { about: 'a recording of four people to files: streams, mixed audio, grid and speaker view', run: postcall },
  speech: { about: 'forty minutes of speech and live voices, recognised on this machine', run: speech },
  webhooks: { about: 'deliveries to 1,000 receivers, 10 % of which hang', run: webhooks },
}

const USAGE = `Usage: npm run bench -- <name> [--json] [--plans] [--profile <folder>]

  --json     the last line of the output is one JSON object
  --plans    shows how PostgreSQL answers (list)
  --profile  the service writes a CPU profile into this folder

${Object.entries(BENCHES)
  .map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`)
  .join('\n')}`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, plans: { type: 'boolean' }, profile: { type: 'string' } },
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
  const report = await run({ plans: values.plans ?? false, profile: values.profile })
  console.log(`\n${asText(name, report)}`)
  if (values.json) console.log(asJson(name, report))
}
