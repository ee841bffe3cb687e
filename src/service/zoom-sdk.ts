// Installs and checks Zoom's Web Meeting SDK. Its licence forbids redistribution, so each operator downloads it.
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ZoomWay } from '../domain/platforms.ts'
import { fetchPackage, type NpmPackage, putInPlace, unpackPackage } from '../kit/npm-package.ts'
import { unless } from '../kit/system-errors.ts'
import { inTemporaryFolder } from '../kit/temporary-folder.ts'

export const ZOOM_SDK: NpmPackage = {
  name: '@zoom/meetingsdk',
  version: '6.2.0',
  integrity: 'sha512-QVoZKZMtt0xMuwQRyEQrh4wVWjsMSrqko9wbFS21E6eoTSGjq/Q2iSrUtkYjwPes1skXXmItuxW2ZpLS6zschg==',
}

/** Name and size of every file, written after the package's integrity was verified. */
const INVENTORY = 'emissary-inventory.json'
type Inventory = { readonly integrity: string; readonly files: Readonly<Record<string, number>> }

/** A quick check. `zoomSdkProblem` checks every file. */
export function hasZoomSdk(folder: string): boolean {
  return existsSync(path.join(folder, 'dist'))
}

/** Why bots cannot join Zoom meetings; null if they can. */
export function zoomObstacle({ way, sdkFolder }: { readonly way: ZoomWay; readonly sdkFolder: string }): string | null {
  if (way === 'web' || hasZoomSdk(sdkFolder)) return null
  return 'Zoom’s Meeting SDK is not installed. Its operator must run `emissary zoom install` and restart it (see docs/zoom.md)'
}

/** `unchecked`: the operator copied it there, so its integrity is unknown. */
type SdkProblem = { readonly kind: 'missing' | 'unchecked' | 'damaged'; readonly says: string }

/** The problem of the SDK in this folder; null if it is complete. */
export async function zoomSdkProblem(folder: string, { version, integrity }: NpmPackage = ZOOM_SDK): Promise<SdkProblem | null> {
  if (!hasZoomSdk(folder)) return { kind: 'missing', says: 'it is not installed' }
  const inventory = await readInventory(folder)
  if (inventory === null) return { kind: 'unchecked', says: 'it was not installed by emissary zoom install' }
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
  /** Additional npm arguments, for example another registry. */
  readonly npmArguments?: readonly string[]
}

/** Downloads the SDK if it is missing or damaged. Idempotent, and safe in concurrent processes. */
export async function installZoomSdk(folder: string, options: InstallOptions = {}): Promise<void> {
  const { onProgress = () => undefined, wanted = ZOOM_SDK, npmArguments = [] } = options
  const label = `${wanted.name}@${wanted.version}`
  if ((await zoomSdkProblem(folder, wanted)) === null) return onProgress(`${label} is installed in ${folder}.`)
  await checkPlace(folder, wanted)
  onProgress(`Fetching ${label}.`)
  await mkdir(path.dirname(folder), { recursive: true })
  // Beside the target, because a rename is atomic only within one file system.
  await inTemporaryFolder(path.join(path.dirname(folder), '.installing-'), async (temporary) => {
    const archive = await fetchPackage(temporary, wanted, npmArguments)
    const made = await unpack(archive, temporary, wanted)
    const isWhole = async () => (await zoomSdkProblem(folder, wanted)) === null
    await putInPlace(made, folder, { isWhole, damaged: path.join(temporary, 'damaged') })
  })
  onProgress(`${label} is installed in ${folder}.`)
}

/** The target is replaced, so it must be empty or an SDK. */
async function checkPlace(folder: string, { name }: NpmPackage): Promise<void> {
  const found = (await readdir(folder).catch(unless('ENOENT'))) ?? []
  if (found.length === 0) return
  const file = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => '{}')
  if ((JSON.parse(file) as { readonly name?: string }).name === name) return
  throw new Error(`${folder} contains files that are not ${name}. Set ZOOM_SDK_FOLDER to another folder, or empty this one.`)
}

async function unpack(archive: string, temporary: string, { integrity }: NpmPackage): Promise<string> {
  const made = path.join(temporary, 'made')
  await mkdir(made)
  await unpackPackage(archive, made)
  const entries = await readdir(made, { recursive: true, withFileTypes: true })
  const files: Record<string, number> = {}
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name)
    // Workers run as other users and must read it.
    await chmod(file, entry.isDirectory() ? 0o755 : 0o644)
    if (entry.isFile()) files[path.relative(made, file)] = (await stat(file)).size
  }
  await writeFile(path.join(made, INVENTORY), JSON.stringify({ integrity, files } satisfies Inventory), { mode: 0o644 })
  await chmod(made, 0o755)
  return made
}
