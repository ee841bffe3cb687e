// Installs npm packages with the operator's own npm and its settings. A package is moved into place complete or not at all.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { complaintOf, runProcess } from './process.ts'
import { unless } from './system-errors.ts'

const FETCH_WITHIN_MS = 30 * 60_000
const UNPACK_WITHIN_MS = 10 * 60_000

export type NpmPackage = {
  readonly name: string
  readonly version: string
  /** The integrity of the whole package, as npm writes it. */
  readonly integrity: string
}

/** Downloads the archive into a new folder under `workshop`. Throws if its integrity differs. */
export async function fetchPackage(
  workshop: string,
  { name, version, integrity }: NpmPackage,
  npmArguments: readonly string[],
): Promise<string> {
  const fetched = path.join(workshop, 'fetched')
  await mkdir(fetched)
  const words = ['pack', `${name}@${version}`, '--pack-destination', fetched, '--ignore-scripts', '--loglevel', 'error', ...npmArguments]
  // Run in its own folder: an .npmrc of the current project must not apply.
  await runProcess({ program: 'npm', args: words, cwd: workshop, limitMs: FETCH_WITHIN_MS }).catch((cause: unknown) => {
    throw new Error(`npm could not fetch ${name}@${version}: ${complaintOf(cause)}`, { cause })
  })
  const [archive = ''] = await readdir(fetched)
  const file = path.join(fetched, archive)
  const found = `sha512-${await digest(file, 'sha512', 'base64')}`
  if (found !== integrity) throw new Error(`${name}@${version} is not the package that was checked: its integrity is ${found}.`)
  return file
}

/** Unpacks the archive into the folder, without the folder `package` that contains everything. `members` are files of the package. */
export async function unpackPackage(archive: string, folder: string, members: readonly string[] = []): Promise<void> {
  const options = ['--extract', '--gzip', '--no-same-owner', '--strip-components=1', '--file', archive, '--directory', folder]
  const names = members.map((member) => `package/${member}`)
  await runProcess({ program: 'tar', args: [...options, '--', ...names], limitMs: UNPACK_WITHIN_MS })
}

type Place = {
  readonly isWhole: () => Promise<boolean>
  /** Where a damaged folder is moved that blocks the target. */
  readonly damaged: string
}

/** Renaming onto a non-empty folder fails: another process was faster, or the existing folder is damaged. */
export async function putInPlace(made: string, place: string, { isWhole, damaged }: Place): Promise<void> {
  const isTaken = await rename(made, place).then(() => false, unless('ENOTEMPTY', 'EEXIST'))
  if (isTaken === false || (await isWhole())) return
  await rename(place, damaged).catch(unless('ENOENT'))
  await rename(made, place).catch(unless('ENOTEMPTY', 'EEXIST'))
}

export async function digest(file: string, algorithm: string, encoding: 'hex' | 'base64'): Promise<string> {
  const hash = createHash(algorithm)
  await pipeline(createReadStream(file), hash)
  return hash.digest(encoding)
}
