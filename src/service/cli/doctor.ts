// emissary doctor: checks this machine and the join page of a meeting, and says how to fix problems.
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { defineCommand } from 'citty'
import { LEAVE_DEFAULTS } from '../../domain/automatic-leave.ts'
import type { BotSpec } from '../../domain/bot.ts'
import type { Check, DoorReport, DoorVisit, FromDoctor } from '../../domain/doctor.ts'
import { parseMeetingLink } from '../../domain/meeting-link.ts'
import { driverNameOf, isJoinable, PLATFORMS } from '../../domain/platforms.ts'
import { createLog } from '../../kit/log.ts'
import { type Config, loadConfig } from '../config.ts'
import { examine } from '../doctor/examine.ts'
import { zoomOrders } from '../doctor/zoom-checks.ts'
import { openHostSandboxes } from '../open-sandboxes.ts'
import { readPlatformTables } from '../platform-tables.ts'
import { complain, say, sentenceOf } from './terminal.ts'

/** Options that do not affect the join page. */
const SPEC: Omit<BotSpec, 'name' | 'meeting'> = {
  ...{ audio: true, video: true, layout: 'grid_view', separateAudio: true, separateVideo: true, greeting: null, imageUrl: null },
  ...{ initialAudioUrl: null, leave: LEAVE_DEFAULTS, transcript: { provider: 'native', options: {} }, liveWords: null, liveAudioUrl: null },
  ...{ controlUrl: null, realtime: [], retentionHours: 0, zoomToken: null, signIn: null },
}

export const doctor = defineCommand({
  meta: {
    name: 'doctor',
    description: 'Check this machine and, with a link, the join page of that meeting. Exits with 1 if there is a problem.',
  },
  args: {
    link: { type: 'positional', required: false, description: 'A meeting link. The bot opens its join page but does not ask to join.' },
    knock: { type: 'boolean', default: false, description: 'Also ask to join. Participants see the request.' },
    name: { type: 'string', default: 'Emissary', description: 'Name to join under.' },
    json: { type: 'boolean', default: false, description: 'Print one JSON object.' },
  },
  async run({ args }) {
    try {
      const config = loadConfig()
      const visit = args.link === undefined ? null : visitOf(config, args.link, { name: args.name, knocks: args.knock })
      const found = await findOut(config, visit)
      const folder = found.report && (await keep(found.report))
      if (args.json) process.stdout.write(`${JSON.stringify(asJson(found, folder))}\n`)
      else for (const line of asText(found, folder)) process.stdout.write(`${line}\n`)
      if (found.checks.some(({ state }) => state === 'problem')) process.exitCode = 1
    } catch (error) {
      complain(sentenceOf(error))
      process.exitCode = 1
    }
  },
})

function visitOf(config: Config, link: string, { name, knocks }: { readonly name: string; readonly knocks: boolean }): DoorVisit {
  const meeting = parseMeetingLink(link, { roomBase: config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}` })
  if (meeting.kind === 'problem') throw new Error(`The link ${meeting.message}`)
  if (!meeting.joinable) throw new Error(`Invalid meeting link format: ${meeting.reason}`)
  if (!isJoinable(meeting.platform)) throw new Error(`Bots cannot join ${PLATFORMS[meeting.platform].label} meetings yet.`)
  const driver = driverNameOf(meeting.platform, config.zoom.way)
  const tables = readPlatformTables(config.PLATFORM_TABLES).get(driver) ?? null
  return {
    spec: { ...SPEC, name, meeting },
    driver,
    tables,
    knocks,
    ...zoomOrders(config.zoom, meeting, new Date()),
    allowPrivateUrls: config.ALLOW_INSECURE_URLS,
  }
}

async function findOut(config: Config, visit: DoorVisit | null): Promise<FromDoctor> {
  say(visit ? `Checking this machine and the join page of ${visit.spec.meeting.url.split('?')[0]} …` : 'Checking this machine …')
  // Do not create DATA_DIR: only the service does.
  const spare = existsSync(config.DATA_DIR) ? null : await mkdtemp(join(tmpdir(), 'emissary-doctor-'))
  if (spare) await chmod(spare, 0o711)
  const place = { ...config, DATA_DIR: spare ?? config.DATA_DIR, BOT_HOSTS: 1 }
  const sandboxes = await openHostSandboxes(place, createLog({ level: 'silent', pretty: false }))
  try {
    return await examine({
      machine: {
        dataFolder: config.DATA_DIR,
        leastDiskMegabytes: config.MIN_FREE_DISK_MB,
        databaseUrl: config.DATABASE_URL,
        modelsFolder: config.speech.native.modelsFolder,
        ownModel: config.speech.native.ownModel,
        videoEncoder: config.VIDEO_ENCODER,
      },
      zoom: config.zoom,
      hosts: {
        browserMode: config.BROWSER_MODE,
        chromium: config.CHROMIUM_PATH && resolve(config.CHROMIUM_PATH),
        chromiumFlags: config.CHROMIUM_FLAGS,
      },
      sandboxes,
      visit,
    })
  } finally {
    await sandboxes.close()
    if (spare) await rm(spare, { recursive: true })
  }
}

/** Saves the page's text and screenshot for a bug report. */
async function keep({ door, knock, pageText, picture }: DoorReport): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-doctor-'))
  await writeFile(join(folder, 'door.json'), `${JSON.stringify({ ...door, knock }, null, 2)}\n`)
  if (pageText !== null) await writeFile(join(folder, 'page.txt'), pageText)
  if (picture !== null) await writeFile(join(folder, 'page.jpg'), Buffer.from(picture, 'base64'))
  return folder
}

function asJson({ checks, report }: FromDoctor, folder: string | null): object {
  return { checks, door: report && { ...report.door, knock: report.knock, folder } }
}

function asText({ checks, report }: FromDoctor, folder: string | null): readonly string[] {
  const lines = checks.map(lineOf)
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

function lineOf({ name, state, says, cure }: Check): string {
  return `${state.padEnd(8)} ${name.padEnd(10)} ${says}.${cure ? ` ${cure}` : ''}`
}
