// Which simulators' suites have to run: those whose inputs are not the ones they last passed with.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
/** For each simulator the hash of its inputs when `npm run test:all` last passed. Committed, so that a fresh clone knows it too. */
const PROVEN = join(import.meta.dirname, 'proven.json')

/** What the suites of a simulator prove, and the simulator. The suites themselves are `test/<any>/<name>/`. */
export const SIMULATORS: Readonly<Record<string, readonly string[]>> = {
  calendars: ['src/service/calendar/**', 'src/service/db/calendars*.ts', 'sims/calendars/**', 'test/helpers/calendar*.ts'],
  'google-meet': [
    // Lanes and pages that keep their frames are judged in no other suite.
    'src/bot/{capture,live}/**',
    'src/bot/drivers/*.ts',
    'src/bot/drivers/{web-client,google-meet}/**',
    'sims/{google-meet,google-accounts}/**',
    'test/helpers/{google,meet}-*.ts',
  ],
  speech: ['src/speech/**', 'sims/speech/**', 'sims/speech.ts', 'test/helpers/speech-*.ts'],
  teams: [
    'src/bot/drivers/*.ts',
    'src/bot/drivers/{web-client,teams}/**',
    'sims/{teams,microsoft-accounts,site}/**',
    'sims/google-meet/{sfu/*.ts,site/certificate.ts}',
    'test/helpers/teams-*.ts',
  ],
}

/** True: the suites of this simulator passed with exactly these inputs. */
export function isProven(simulator: string): boolean {
  const proven = JSON.parse(readFileSync(PROVEN, 'utf8')) as Readonly<Record<string, string>>
  return proven[simulator] === hashOf(simulator)
}

export function writeProven(): void {
  const proven = Object.fromEntries(Object.keys(SIMULATORS).map((simulator) => [simulator, hashOf(simulator)]))
  writeFileSync(PROVEN, `${JSON.stringify(proven, null, 2)}\n`)
}

function hashOf(simulator: string): string {
  const hash = createHash('sha256')
  const files = globSync([...(SIMULATORS[simulator] ?? []), `test/*/${simulator}/**`], { cwd: ROOT })
  for (const file of files.filter((it) => statSync(join(ROOT, it)).isFile()).toSorted())
    hash.update(file).update(readFileSync(join(ROOT, file)))
  return hash.digest('hex')
}
