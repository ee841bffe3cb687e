// The weights that recognition on this server needs: which they are, where they lie, and how they get there.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { digest, fetchPackage, type NpmPackage, putInPlace, unless } from '../kit/npm-package.ts'

const run = promisify(execFile)

/** A package of the npm registry that carries weights among other things. */
export type ModelPackage = NpmPackage & {
  /** What lies under the models' folder once it is installed. A new version is a new folder. */
  readonly folder: string
  readonly files: readonly { readonly name: string; readonly inPackage: string; readonly sha256: string }[]
}

const MOONSHINE = {
  folder: 'moonshine-base-0.1.15',
  name: '@usefulsensors/moonshine-js',
  version: '0.1.15',
  integrity: 'sha512-SR0NMPcY0lusFaY+kvimwCaasi9zMUBNiFLYPbID5/EafY+Eg9ZgHGCQO0fjVqQdF0D8bAPEyDo0I9Dq9uQo1w==',
  files: [
    {
      name: 'encoder.onnx',
      inPackage: 'dist/model/base/quantized/encoder_model.onnx',
      sha256: '1dd9ab0a7f987113d30affcba5a068d11c8f90fa0223caa3e491ade431ad9751',
    },
    {
      name: 'decoder.onnx',
      inPackage: 'dist/model/base/quantized/decoder_model_merged.onnx',
      sha256: 'cc9f3cd6698a369c6008b41aa60aa3fb3322e7f03c9bdf19d8e6b7200afca4f3',
    },
  ],
} as const satisfies ModelPackage

const SILERO = {
  folder: 'silero-vad-6-0.0.31',
  name: '@ricky0123/vad-web',
  version: '0.0.31',
  integrity: 'sha512-ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xbPCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==',
  files: [
    {
      name: 'voice-activity.onnx',
      inPackage: 'dist/silero_vad_v6.onnx',
      sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
    },
  ],
} as const satisfies ModelPackage

export const MODEL_PACKAGES: readonly ModelPackage[] = [MOONSHINE, SILERO]

export type ModelFiles = { readonly encoder: string; readonly decoder: string; readonly voiceActivity: string }

/** Where the files are, or will be. */
export function modelFiles(folder: string): ModelFiles {
  const [encoder, decoder] = MOONSHINE.files
  return {
    encoder: path.join(folder, MOONSHINE.folder, encoder.name),
    decoder: path.join(folder, MOONSHINE.folder, decoder.name),
    voiceActivity: path.join(folder, SILERO.folder, SILERO.files[0].name),
  }
}

export type InstallOptions = {
  /** A sentence for whoever waits. */
  readonly onProgress?: (sentence: string) => void
  readonly packages?: readonly ModelPackage[]
  /** Further words for npm, such as another registry than its own settings name. */
  readonly npmArguments?: readonly string[]
}

/** Fetches what is missing or damaged. May be called again, and by several processes at once: whoever is first wins, and all are right. */
export async function installModels(folder: string, options: InstallOptions = {}): Promise<void> {
  const { onProgress = () => undefined, packages = MODEL_PACKAGES } = options
  await mkdir(folder, { recursive: true })
  for (const wanted of packages) {
    const place = path.join(folder, wanted.folder)
    if (await isWhole(place, wanted)) {
      onProgress(`${wanted.folder} is installed.`)
      continue
    }
    onProgress(`Fetching ${wanted.name}@${wanted.version}, which carries ${wanted.folder}.`)
    await install(folder, wanted, options.npmArguments ?? [])
    onProgress(`${wanted.folder} is installed.`)
  }
}

/** Beside the place itself, because a folder can be moved at once only within its disk. */
async function install(folder: string, wanted: ModelPackage, npmArguments: readonly string[]): Promise<void> {
  const workshop = await mkdtemp(path.join(folder, '.installing-'))
  try {
    const archive = await fetchPackage(workshop, wanted, npmArguments)
    const made = path.join(workshop, 'made')
    await unpack(archive, wanted, workshop, made)
    if (!(await isWhole(made, wanted))) throw new Error(`${wanted.name}@${wanted.version}: a file in it is not the one that was checked.`)
    const place = path.join(folder, wanted.folder)
    await putInPlace(made, place, { isWhole: () => isWhole(place, wanted), damaged: path.join(workshop, 'damaged') })
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

/** Only the files that are wanted, and only by the names that are known. */
async function unpack(archive: string, { files }: ModelPackage, workshop: string, made: string): Promise<void> {
  const members = files.map(({ inPackage }) => `package/${inPackage}`)
  await run('tar', ['--extract', '--gzip', '--no-same-owner', '--file', archive, '--directory', workshop, '--', ...members])
  await mkdir(made)
  for (const { inPackage, name } of files) await rename(path.join(workshop, 'package', inPackage), path.join(made, name))
}

async function isWhole(place: string, { files }: ModelPackage): Promise<boolean> {
  for (const { name, sha256 } of files) {
    const found = await digest(path.join(place, name), 'sha256', 'hex').catch(unless('ENOENT'))
    if (found !== sha256) return false
  }
  return true
}
