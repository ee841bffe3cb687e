// The oldest Node that clients may use: the one on the PATH, or one that npm fetches once.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const VERSION = '20.20.2'
const FETCH_WITHIN_MS = 240_000

let found: string | null = null

/** Returns its path. Throws if there is none and none can be fetched, because every snippet must be run. */
export function findNode20(): string {
  found ??= onPath() ?? fetched()
  return found
}

function onPath(): string | undefined {
  const places = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return places.find(isNode20)
}

function fetched(): string {
  const folder = join(process.cwd(), 'node_modules', '.cache', 'node-20')
  const name = `node-linux-${process.arch}`
  const program = join(folder, 'node_modules', name, 'bin', 'node')
  if (isNode20(program)) return program
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${VERSION}`]
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8', timeout: FETCH_WITHIN_MS })
  if (status !== 0 || !isNode20(program))
    throw new Error(`There is no Node 20 on the PATH, and npm could not fetch ${name}@${VERSION}: ${stderr}`)
  return program
}

function isNode20(program: string): boolean {
  return existsSync(program) && spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.startsWith('v20.')
}
