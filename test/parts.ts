// Decides which parts' suites run: those whose inputs have changed since they last passed.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
/** For each part the hash of its inputs when `npm run test:all` last passed. Committed, so that a fresh clone knows it too. */
const PROVEN = join(import.meta.dirname, 'proven.json')

/** Inputs of every part. */
const GROUND = ['package-lock.json', 'src/kit/**', 'src/domain/recording.ts', 'test/helpers/{until,for-file,media/recorded-media}.ts']

/** The inputs of each part: the sources that its suites test, with their simulators and helpers. The suites are `test/<any>/<part>/`. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  backup: [
    'src/service/{backup,db,postgres}/**',
    'src/service/{cli/backup-commands,cli/database,open-database,open-objects}.ts',
    'src/service/{accounts/secret-key,media/finish-recording}.ts',
    'src/storage/**',
    'test/helpers/service/{debian-postgres,emissary-command,ended-bot,s3-server}.ts',
  ],
  calendars: ['src/service/calendar/**', 'src/service/db/calendar/**', 'sims/calendars/**', 'test/helpers/calendars/*.ts'],
  capture: ['src/bot/capture/**', 'src/bot/drivers/*.ts', 'test/helpers/media/capture-*.ts'],
  dashboard: [
    'web/{index.html,vite.config.ts,src/**}',
    'src/service/accounts/**',
    'src/service/api/dashboard/**',
    'src/service/api/session-auth.ts',
    'test/helpers/service/{dashboard*,ended-bot}.ts',
  ],
  // Killed processes, lost machines, silent databases and full disks.
  faults: [
    'src/{bot,domain,room,storage}/**',
    'src/service/{api,db,delivery,fleet,media,operations,postgres}/**',
    'src/service/*.ts',
    '{sims/{room,webrtc}/**,simulation/random.ts}',
    'test/helpers/**',
  ],
  'google-meet': [
    // Only these suites test lanes, and pages that keep their frames.
    'src/bot/{capture,live}/**',
    'src/bot/drivers/*.ts',
    'src/bot/{attendance/other-session.ts,field-kit/**,drivers/{browser-meeting,google-meet}/**}',
    'sims/{google-meet,google-accounts,site,webrtc}/**',
    'test/helpers/{meetings/{google-*,meet-*,platform-stage,hand-over},media/attributed-call}.ts',
  ],
  media: [
    'src/{service/media,storage}/**',
    'src/bot/capture/**',
    'test/helpers/{media/{media-*,actors,recording-fixture,manifest},service/ended-bot}.ts',
  ],
  outgoing: [
    'src/bot/outgoing/**',
    'src/room/page/**',
    'src/speech/text-to-speech*.ts',
    'sims/room/**',
    'test/helpers/{media/outgoing-*,meetings/room}.ts',
  ],
  postgres: ['src/service/postgres/**', 'test/helpers/service/embedded-postgres.ts'],
  room: ['src/room/**', 'sims/room/**', 'test/helpers/meetings/room.ts'],
  simulation: [
    'simulation/**',
    'src/domain/**',
    'src/service/{db,delivery,fleet}/**',
    'src/service/leases.ts',
    'test/helpers/{service/database,scale}.ts',
  ],
  speech: [
    'src/speech/**',
    // From a participant's voice to words, live and after the call.
    'src/bot/{capture,live}/**',
    'src/service/media/{transcript/**,audio/track-decoder.ts}',
    'sims/{room,speech,webrtc}/**',
    'test/helpers/{speech/*,meetings/bot-in-room}.ts',
  ],
  storage: ['src/storage/**', 'test/helpers/service/s3-server.ts'],
  teams: [
    'src/bot/{capture,live}/**',
    'src/bot/drivers/*.ts',
    'src/bot/{attendance/other-session.ts,field-kit/**,drivers/{browser-meeting,teams}/**}',
    'sims/{teams,microsoft-accounts,site,webrtc}/**',
    'test/helpers/{meetings/{teams*,platform-stage,hand-over},media/attributed-call}.ts',
  ],
  zoom: [
    'src/bot/{capture,live}/**',
    'src/bot/drivers/*.ts',
    'src/bot/{field-kit,drivers/{browser-meeting,zoom-sdk,zoom-web}}/**',
    'sims/{zoom,site,webrtc}/**',
    'test/helpers/{meetings/{zoom*,platform-stage},callers/zoom-rest}.ts',
  ],
}

/** True: the suites of this part passed with exactly these inputs. */
export function isProven(part: string): boolean {
  return readProven()[part] === hashOf(part)
}

/** Records that the suites of these parts passed with the present inputs. */
export function writeProven(parts: readonly string[] = Object.keys(PARTS)): void {
  const proven = { ...readProven(), ...Object.fromEntries(parts.map((part) => [part, hashOf(part)])) }
  writeFileSync(PROVEN, `${JSON.stringify(proven, null, 2)}\n`)
}

/** The parts of which every suite is among these files. */
export function partsWithin(passed: readonly string[]): readonly string[] {
  const files = new Set(passed)
  return Object.keys(PARTS).filter((part) => globSync(`test/*/${part}/**/*.test.ts`, { cwd: ROOT }).every((file) => files.has(file)))
}

function readProven(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(PROVEN, 'utf8'))
}

function hashOf(part: string): string {
  const hash = createHash('sha256')
  const files = globSync([...GROUND, ...(PARTS[part] ?? []), `test/*/${part}/**`], { cwd: ROOT })
  for (const file of files.filter((it) => statSync(join(ROOT, it)).isFile()).toSorted())
    hash.update(file).update(readFileSync(join(ROOT, file)))
  return hash.digest('hex')
}
