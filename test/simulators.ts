// Which simulators' suites have to run: those whose inputs are not the ones they last passed with.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
/** For each simulator the hash of its inputs when `npm run test:all` last passed. Committed, so that a fresh clone knows it too. */
const PROVEN = join(import.meta.dirname, 'proven.json')

/** What the suites of a simulator prove, and what they prove it with. */
export const SIMULATORS: Readonly<Record<string, readonly string[]>> = {
  'google-meet': ['src/bot/drivers', 'sims/google-meet', 'sims/google-accounts', 'test/stories/google-meet', 'test/meetings/google-meet'],
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
  for (const folder of SIMULATORS[simulator] ?? []) {
    const files = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }).filter((it) => it.isFile())
    for (const path of files.map((it) => join(it.parentPath, it.name)).toSorted())
      hash.update(path.slice(ROOT.length)).update(readFileSync(path))
  }
  return hash.digest('hex')
}
