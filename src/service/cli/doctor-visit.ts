// What all forms of `emissary doctor` need: the visit of a link, the sandbox of a worker, and the lines of checks.
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Check, DoorVisit } from '../../domain/doctor.ts'
import { parseMeetingLink } from '../../domain/meeting-link.ts'
import { driverNameOf, isJoinable, PLATFORMS } from '../../domain/platforms.ts'
import type { BotIdentity } from '../../domain/protocol.ts'
import { SPEC_DEFAULTS } from '../../domain/spec-defaults.ts'
import { createHttpClient } from '../../kit/http-client.ts'
import { createLog } from '../../kit/log.ts'
import { createBotTokens } from '../accounts/teams-app.ts'
import type { Config } from '../config.ts'
import { zoomOrders } from '../doctor/zoom-checks.ts'
import type { WorkerSandboxes } from '../fleet/workers/worker-sandbox.ts'
import { openWorkerSandboxes } from '../open-sandboxes.ts'
import { readPageRules } from '../page-rules.ts'

/** `identity`: of the server's app for Microsoft Teams; null: there is none. */
export type Visit = { readonly visit: DoorVisit | null; readonly identity: BotIdentity | null }

export async function identityIn({ teamsApp, MICROSOFT_LOGIN_URL: loginUrl }: Config): Promise<BotIdentity | null> {
  if (!teamsApp) return null
  const http = createHttpClient({ allowPrivate: true })
  const identity = await createBotTokens({ http, loginUrl, now: () => new Date() })(teamsApp)
  await http.close()
  return identity
}

type How = Pick<Visit, 'identity'> & { readonly name: string; readonly knocks: boolean }

export async function visitOf(config: Config, link: string, how: How): Promise<DoorVisit> {
  const meeting = parseMeetingLink(link, { roomBase: config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}` })
  if (meeting.kind === 'problem') throw new Error(`The link ${meeting.message}`)
  if (!meeting.joinable) throw new Error(`Invalid meeting link format: ${meeting.reason}`)
  if (!isJoinable(meeting.platform)) throw new Error(`Bots cannot join ${PLATFORMS[meeting.platform].label} meetings yet.`)
  const driver = driverNameOf(meeting.platform, config.zoom.way)
  const pageRules = (await readPageRules(config.PAGE_RULES)).get(driver) ?? null
  return {
    spec: { ...SPEC_DEFAULTS, name: how.name, meeting },
    driver,
    pageRules,
    knocks: how.knocks,
    identity: meeting.platform === 'teams' ? how.identity : null,
    ...zoomOrders(config.zoom, meeting, new Date()),
    allowPrivateUrls: config.ALLOW_INSECURE_URLS,
  }
}

export async function inSandbox<Result>(config: Config, work: (sandboxes: WorkerSandboxes) => Promise<Result>): Promise<Result> {
  // Do not create DATA_DIR: only the service does.
  const spare = existsSync(config.DATA_DIR) ? null : await mkdtemp(join(tmpdir(), 'emissary-doctor-'))
  if (spare) await chmod(spare, 0o711)
  const place = { ...config, DATA_DIR: spare ?? config.DATA_DIR, BOT_WORKERS: 1 }
  const sandboxes = await openWorkerSandboxes(place, createLog({ level: 'silent', pretty: false }))
  try {
    return await work(sandboxes)
  } finally {
    await sandboxes.close()
    if (spare) await rm(spare, { recursive: true })
  }
}

export function lineOf({ name, state, says, cure }: Check): string {
  return `${state.padEnd(8)} ${name.padEnd(10)} ${says}.${cure ? ` ${cure}` : ''}`
}

export function failOnProblem(checks: readonly Check[]): void {
  if (checks.some(({ state }) => state === 'problem')) process.exitCode = 1
}
