// Zoom's Web Meeting SDK: which version, where it lies, and how it gets there. Only the operator may fetch it: it must not be passed on.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { fetchPackage, type NpmPackage, putInPlace, unless } from '../kit/npm-package.ts'

const run = promisify(execFile)

export const ZOOM_SDK: NpmPackage = {
  name: '@zoom/meetingsdk',
  version: '6.2.0',
  integrity: 'sha512-QVoZKZMtt0xMuwQRyEQrh4wVWjsMSrqko9wbFS21E6eoTSGjq/Q2iSrUtkYjwPes1skXXmItuxW2ZpLS6zschg==',
}

/** The name and size of every file, written when the package was checked. */
const INVENTORY = 'emissary-inventory.json'
type Inventory = { readonly integrity: string; readonly files: Readonly<Record<string, number>> }

/** Whether bots can be sent. Whether every file is there, only `zoomSdkProblem` says. */
export function hasZoomSdk(folder: string): boolean {
  return existsSync(path.join(folder, 'dist'))
}

/** Why bots cannot join Zoom meetings; null: they can. */
export function zoomObstacle({ way, sdkFolder }: { readonly way: 'sdk' | 'web'; readonly sdkFolder: string }): string | null {
  if (way === 'web') return 'ZOOM_WAY is web, and there is no driver for Zoom’s web client yet. Its operator must set ZOOM_WAY to sdk'
  if (hasZoomSdk(sdkFolder)) return null
  return 'Zoom’s Meeting SDK is not installed. Its operator must run `emissary zoom install` and restart it (see docs/zoom.md)'
}

/** `unchecked`: the operator has put it there by hand. */
type SdkProblem = { readonly kind: 'missing' | 'unchecked' | 'damaged'; readonly says: string }

/** What is wrong with the SDK in this folder; null where every file is there. */
export async function zoomSdkProblem(folder: string, { version, integrity }: NpmPackage = ZOOM_SDK): Promise<SdkProblem | null> {
  if (!hasZoomSdk(folder)) return { kind: 'missing', says: 'it is not installed' }
  const inventory = await readInventory(folder)
  if (inventory === null) return { kind: 'unchecked', says: 'it was not put there by emissary zoom install' }
  if (inventory.integrity !== integrity) return { kind: 'damaged', says: `it is not version ${version}` }
  for (const [name, bytes] of Object.entries(inventory.files)) {
    const found = await stat(path.join(folder, name)).catch(() => null)
    if (found?.size !== bytes) return { kind: 'damaged', says: `${name} is ${found ? 'damaged' : 'missing'}` }
  }
  return null
}

async function readInventory(folder: string): Promise<Inventory | null> {
  try {
    return JSON.parse(await readFile(path.join(folder, INVENTORY), 'utf8')) as Inventory
  } catch {
    return null
  }
}

type InstallOptions = {
  readonly onProgress?: (sentence: string) => void
  readonly wanted?: NpmPackage
  /** Further words for npm, such as another registry than its own settings name. */
  readonly npmArguments?: readonly string[]
}

/** Fetches the SDK where it is missing or damaged. May be called again, and by several processes at once. */
export async function installZoomSdk(folder: string, options: InstallOptions = {}): Promise<void> {
  const { onProgress = () => undefined, wanted = ZOOM_SDK, npmArguments = [] } = options
  const label = `${wanted.name}@${wanted.version}`
  if ((await zoomSdkProblem(folder, wanted)) === null) return onProgress(`${label} is installed in ${folder}.`)
  await checkPlace(folder, wanted)
  onProgress(`Fetching ${label}.`)
  await mkdir(path.dirname(folder), { recursive: true })
  // Beside the place itself, because a folder can be moved at once only within its disk.
  const workshop = await mkdtemp(path.join(path.dirname(folder), '.installing-'))
  try {
    const archive = await fetchPackage(workshop, wanted, npmArguments)
    const made = await unpack(archive, workshop, wanted)
    const isWhole = async () => (await zoomSdkProblem(folder, wanted)) === null
    await putInPlace(made, folder, { isWhole, damaged: path.join(workshop, 'damaged') })
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
  onProgress(`${label} is installed in ${folder}.`)
}

/** A folder that is in the way is removed, so it must be an SDK. */
async function checkPlace(folder: string, { name }: NpmPackage): Promise<void> {
  const found = (await readdir(folder).catch(unless('ENOENT'))) ?? []
  if (found.length === 0) return
  const file = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => '{}')
  if ((JSON.parse(file) as { readonly name?: string }).name === name) return
  throw new Error(`${folder} holds something else than ${name}. Set ZOOM_SDK_FOLDER to another folder, or empty this one.`)
}

async function unpack(archive: string, workshop: string, { integrity }: NpmPackage): Promise<string> {
  const made = path.join(workshop, 'made')
  await mkdir(made)
  await run('tar', ['--extract', '--gzip', '--no-same-owner', '--strip-components=1', '--file', archive, '--directory', made])
  const entries = await readdir(made, { recursive: true, withFileTypes: true })
  const files: Record<string, number> = {}
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name)
    // Hosts run as users of their own, and read it.
    await chmod(file, entry.isDirectory() ? 0o755 : 0o644)
    if (entry.isFile()) files[path.relative(made, file)] = (await stat(file)).size
  }
  await writeFile(path.join(made, INVENTORY), JSON.stringify({ integrity, files } satisfies Inventory), { mode: 0o644 })
  await chmod(made, 0o755)
  return made
}
