// emissary doctor: checks this machine and the join page of a meeting, and says how to fix problems.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCommand } from 'citty'
import type { Difference, DoctorOrders, DoorReport, FromDoctor } from '../../domain/doctor.ts'
import { type Config, loadConfig } from '../config.ts'
import { examine } from '../doctor/examine.ts'
import { browserIn } from '../open-sandboxes.ts'
import { failOnProblem, identityIn, inSandbox, lineOf, type Visit, visitOf } from './doctor-visit.ts'
import { DEFAULT_STAY_SECONDS, recordFieldKit, replayFieldKit } from './field-kit.ts'
import { failOnError, say } from './terminal.ts'

/** Of a fact in the terminal. `--json` has all of it. */
const LONGEST_VALUE = 160

export const doctor = defineCommand({
  meta: {
    name: 'doctor',
    description: 'Check this machine and, with a link, the join page of that meeting. Exits with 1 if there is a problem.',
  },
  args: {
    link: { type: 'positional', required: false, description: 'A meeting link. The bot opens its join page but does not ask to join.' },
    file: { type: 'positional', required: false, description: 'The file for --bundle. Default: emissary-<platform>-<time>.jsonl.gz.' },
    browser: {
      type: 'boolean',
      default: false,
      description: 'Also compare what a page sees in a bot’s browser and in an ordinary one.',
    },
    knock: { type: 'boolean', default: false, description: 'Also ask to join. Participants see the request.' },
    bundle: {
      type: 'boolean',
      default: false,
      description:
        'Join, stay, leave, and write all that the bot saw into one file for a bug report, without names and texts. Participants see the bot.',
    },
    stay: { type: 'string', default: DEFAULT_STAY_SECONDS, description: 'With --bundle: seconds in the meeting.' },
    'with-pictures': { type: 'boolean', default: false, description: 'With --bundle: screenshots show people and texts.' },
    replay: { type: 'string', description: 'Read a file of --bundle with the page rules and parsers of this version.' },
    name: { type: 'string', default: 'Emissary', description: 'Name to join under.' },
    json: { type: 'boolean', default: false, description: 'Print one JSON object.' },
  },
  run: ({ args }) =>
    failOnError(async () => {
      const config = loadConfig()
      if (args.replay !== undefined) return replayFieldKit(config, args.replay)
      const { link, name, knock: knocks, file, stay, bundle, json } = args
      const identity = await identityIn(config)
      const visit = link === undefined ? null : await visitOf(config, link, { name, knocks, identity })
      if (bundle) return recordFieldKit(config, { visit, identity }, { file, stay, json, withPictures: args['with-pictures'] })
      // Google Meet looks at browsers most closely.
      const comparesFor = args.browser ? (visit?.driver ?? 'google_meet') : null
      await look(config, { visit, identity, comparesFor }, json)
    }),
})

type Look = Visit & Pick<DoctorOrders, 'comparesFor'>

async function look(config: Config, wanted: Look, isJson: boolean): Promise<void> {
  const found = await findOut(config, wanted)
  const folder = found.report && (await keep(found.report))
  if (isJson) process.stdout.write(`${JSON.stringify(asJson(found, folder))}\n`)
  else for (const line of asText(found, folder)) process.stdout.write(`${line}\n`)
  failOnProblem(found.checks)
}

async function findOut(config: Config, wanted: Look): Promise<FromDoctor> {
  const { visit } = wanted
  say(visit ? `Checking this machine and the join page of ${visit.spec.meeting.url.split('?')[0]} …` : 'Checking this machine …')
  return inSandbox(config, (sandboxes) => examine(config, { browser: browserIn(config), sandboxes, ...wanted, field: null }))
}

/** Saves the page's text and screenshot for a bug report. */
async function keep({ door, knock, pageText, picture }: DoorReport): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-doctor-'))
  await writeFile(join(folder, 'door.json'), `${JSON.stringify({ ...door, knock }, null, 2)}\n`)
  if (pageText !== null) await writeFile(join(folder, 'page.txt'), pageText)
  if (picture !== null) await writeFile(join(folder, 'page.jpg'), Buffer.from(picture, 'base64'))
  return folder
}

function asJson({ checks, report, differences }: FromDoctor, folder: string | null): object {
  return { checks, door: report && { ...report.door, knock: report.knock, folder }, differences }
}

function asText({ checks, report, differences }: FromDoctor, folder: string | null): readonly string[] {
  const lines = [...checks.map(lineOf), ...(differences ?? []).flatMap(linesOfDifference)]
  if (!report) return lines
  const { door, knock } = report
  return [
    ...lines,
    '',
    `screen   ${door.screen}`,
    `by       ${door.rule}`,
    `next     ${door.next}`,
    ...(knock === null ? [] : [`knock    ${knock}`]),
    `kept in  ${folder}`,
  ]
}

function linesOfDifference({ fact, bot, ordinary, why }: Difference): readonly string[] {
  return ['', fact, `  bot       ${cut(bot)}`, `  ordinary  ${cut(ordinary)}`, `  why       ${why ?? 'unknown'}`]
}

function cut(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)} …` : text
}
