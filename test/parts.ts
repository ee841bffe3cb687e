// Decides which parts' suites run: those whose inputs have changed since they last passed.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
/** For each part the hash of its inputs when `npm run test:all` last passed. Committed, so that a fresh clone knows it too. */
const PROVEN = join(import.meta.dirname, 'proven.json')

/** Inputs of every part. */
const GROUND = ['package-lock.json', 'src/kit/**', 'src/domain/recording.ts', 'test/helpers/{until,recorded-media}.ts']

/** The inputs of each part: the sources that its suites test, with their simulators and helpers. The suites are `test/<any>/<part>/`. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  calendars: ['src/service/calendar/**', 'src/service/db/calendar/**', 'sims/calendars/**', 'test/helpers/calendar*.ts'],
  capture: ['src/bot/capture/**', 'src/bot/drivers/*.ts', 'test/helpers/capture-*.ts'],
  dashboard: [
    'web/{index.html,vite.config.ts,src/**}',
    'src/service/accounts/**',
    'src/service/api/dashboard/**',
    'src/service/api/session-auth.ts',
    'test/helpers/{dashboard*,ended-bot}.ts',
  ],
  // Killed processes, lost machines, silent databases and full disks.
  faults: [
    'src/{bot,domain,room,storage}/**',
    'src/service/{api,db,delivery,fleet,media,operations,postgres}/**',
    'src/service/*.ts',
    '{sims/room/**,simulation/random.ts}',
    'test/helpers/*.ts',
  ],
  'google-meet': [
    // Only these suites test lanes, and pages that keep their frames.
    'src/bot/{capture,live}/**',
    'src/bot/drivers/*.ts',
    'src/bot/drivers/{web-client,google-meet}/**',
    'sims/{google-meet,google-accounts,site,webrtc}/**',
    'test/helpers/{google-*,meet-*,platform-stage,attributed-call}.ts',
  ],
  media: ['src/{service/media,storage}/**', 'src/bot/capture/**', 'test/helpers/{media-*,ended-bot,recording-fixture,manifest}.ts'],
  outgoing: [
    'src/bot/outgoing/**',
    'src/room/page/**',
    'src/speech/text-to-speech*.ts',
    'sims/room/**',
    'test/helpers/{outgoing-*,room}.ts',
  ],
  postgres: ['src/service/postgres/**', 'test/helpers/embedded-postgres.ts'],
  room: ['src/room/**', 'sims/room/**', 'test/helpers/room.ts'],
  simulation: [
    'simulation/**',
    'src/domain/**',
    'src/service/{db,delivery,fleet}/**',
    'src/service/leases.ts',
    'test/helpers/{database,scale}.ts',
  ],
  speech: [
    'src/speech/**',
    // From a participant's voice to words, live and after the call.
    'src/bot/{capture,live}/**',
    'src/service/media/{transcript/**,audio/track-decoder.ts}',
    'sims/speech/**',
    'test/helpers/{speech-*,spoken-line,bot-in-room}.ts',
  ],
  storage: ['src/storage/**', 'test/helpers/s3-server.ts'],
  teams: [
    'src/bot/{capture,live}/**',
    'src/bot/drivers/*.ts',
    'src/bot/drivers/{web-client,teams}/**',
    'sims/{teams,microsoft-accounts,site,webrtc}/**',
    'test/helpers/{teams*,microsoft*,platform-stage,attributed-call}.ts',
  ],
  zoom: [
    'src/bot/{capture,live}/**',
    'src/bot/drivers/*.ts',
    'src/bot/drivers/{web-client,zoom,zoom-web}/**',
    'sims/{zoom,site,webrtc}/**',
    'test/helpers/{zoom*,platform-stage}.ts',
  ],
}

/** True: the suites of this part passed with exactly these inputs. */
export function isProven(part: string): boolean {
  const proven = JSON.parse(readFileSync(PROVEN, 'utf8')) as Readonly<Record<string, string>>
  return proven[part] === hashOf(part)
}

export function writeProven(): void {
  const proven = Object.fromEntries(Object.keys(PARTS).map((part) => [part, hashOf(part)]))
  writeFileSync(PROVEN, `${JSON.stringify(proven, null, 2)}\n`)
}

function hashOf(part: string): string {
  const hash = createHash('sha256')
  const files = globSync([...GROUND, ...(PARTS[part] ?? []), `test/*/${part}/**`], { cwd: ROOT })
  for (const file of files.filter((it) => statSync(join(ROOT, it)).isFile()).toSorted())
    hash.update(file).update(readFileSync(join(ROOT, file)))
  return hash.digest('hex')
}
