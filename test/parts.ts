// Which parts' suites have to run: those whose inputs are not the ones they last passed with.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
/** For each part the hash of its inputs when `npm run test:all` last passed. Committed, so that a fresh clone knows it too. */
const PROVEN = join(import.meta.dirname, 'proven.json')

/** What every part stands on. */
const GROUND = ['package-lock.json', 'src/kit/**', 'src/domain/recording.ts', 'test/helpers/{until,recorded-media}.ts']

/** What the suites of a part prove, and what they prove it with. The suites themselves are `test/<any>/<part>/`. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  calendars: ['src/service/calendar/**', 'src/service/db/calendars*.ts', 'sims/calendars/**', 'test/helpers/calendar*.ts'],
  capture: ['src/bot/capture/**', 'src/bot/drivers/*.ts', 'test/helpers/capture-*.ts'],
  dashboard: [
    'web/{index.html,vite.config.ts,src/**}',
    'src/service/accounts/**',
    'src/service/api/routes/dashboard/**',
    'src/service/api/session-auth.ts',
    'test/helpers/{dashboard*,left-bot}.ts',
  ],
  'google-meet': [
    // Lanes and pages that keep their frames are judged in no other suite.
    'src/bot/{capture,live}/**',
    'src/bot/drivers/*.ts',
    'src/bot/drivers/{web-client,google-meet}/**',
    'sims/{google-meet,google-accounts,site,webrtc}/**',
    'test/helpers/{google,meet}-*.ts',
  ],
  media: ['src/{service/media,storage}/**', 'src/bot/capture/**', 'test/helpers/{after-the-call,media-*,recording-bench,manifest}.ts'],
  outgoing: ['src/bot/outgoing/**', 'src/service/room/page/**', 'src/speech/voice.ts', 'sims/pe*.ts', 'test/helpers/{outgoing-*,room}.ts'],
  postgres: ['src/service/db/{embedded-postgres,postgres-*}.ts', 'test/helpers/embedded-postgres.ts'],
  room: ['src/service/room/**', 'sims/pe*.ts', 'test/helpers/room.ts'],
  speech: [
    'src/speech/**',
    // From the voice of a participant to the words, while the meeting runs and after it.
    'src/bot/{capture,live}/**',
    'src/service/media/{live-record,transcrib*,transcript-file,voice}.ts',
    'sims/speech/**',
    'sims/speech.ts',
    'test/helpers/{speech-*,spoken-line,bot-in-room}.ts',
  ],
  storage: ['src/storage/**', 'test/helpers/swift.ts'],
  teams: [
    'src/bot/{capture,live}/**',
    'src/bot/drivers/*.ts',
    'src/bot/drivers/{web-client,teams}/**',
    'sims/{teams,microsoft-accounts,site,webrtc}/**',
    'test/helpers/{teams*,microsoft*}.ts',
  ],
  zoom: [
    'src/bot/{capture,live}/**',
    'src/bot/drivers/*.ts',
    'src/bot/drivers/{web-client,zoom}/**',
    'sims/{zoom,site,webrtc}/**',
    'test/helpers/zoom*.ts',
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
