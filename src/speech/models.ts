// The model weights of native recognition: their packages, their files and their installation.
import { mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { digest, fetchPackage, type NpmPackage, putInPlace, unpackPackage } from '../kit/npm-package.ts'
import { unless } from '../kit/system-errors.ts'
import { inTemporaryFolder } from '../kit/temporary-folder.ts'

/** A package of the npm registry that carries weights among other things. */
export type ModelPackage = NpmPackage & {
  /** The folder name within the models folder. A new version has a new folder. */
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

/** The paths of the model files, whether they are installed or not. */
export function modelFiles(folder: string): ModelFiles {
  const [encoder, decoder] = MOONSHINE.files
  return {
    encoder: path.join(folder, MOONSHINE.folder, encoder.name),
    decoder: path.join(folder, MOONSHINE.folder, decoder.name),
    voiceActivity: path.join(folder, SILERO.folder, SILERO.files[0].name),
  }
}

export type InstallOptions = {
  /** Receives a progress message for the user. */
  readonly onProgress?: (message: string) => void
  readonly packages?: readonly ModelPackage[]
  /** Extra arguments for npm, such as another registry. */
  readonly npmArguments?: readonly string[]
}

/** Fetches missing or damaged files. Idempotent, and safe in several processes at once: the first installation wins. */
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

/** Unpacks inside the models folder, because an atomic rename works only within one file system. */
async function install(folder: string, wanted: ModelPackage, npmArguments: readonly string[]): Promise<void> {
  await inTemporaryFolder(path.join(folder, '.installing-'), async (temporary) => {
    const archive = await fetchPackage(temporary, wanted, npmArguments)
    const unpacked = path.join(temporary, 'unpacked')
    await unpack(archive, wanted, temporary, unpacked)
    if (!(await isWhole(unpacked, wanted)))
      throw new Error(`${wanted.name}@${wanted.version}: a file has an unexpected SHA-256 checksum. Nothing was installed.`)
    const place = path.join(folder, wanted.folder)
    await putInPlace(unpacked, place, { isWhole: () => isWhole(place, wanted), damaged: path.join(temporary, 'damaged') })
  })
}

/** Extracts only the listed files. */
async function unpack(archive: string, { files }: ModelPackage, temporary: string, unpacked: string): Promise<void> {
  const whole = path.join(temporary, 'package')
  await mkdir(whole)
  await unpackPackage(
    archive,
    whole,
    files.map(({ inPackage }) => inPackage),
  )
  await mkdir(unpacked)
  for (const { inPackage, name } of files) await rename(path.join(whole, inPackage), path.join(unpacked, name))
}

async function isWhole(place: string, { files }: ModelPackage): Promise<boolean> {
  for (const { name, sha256 } of files) {
    const found = await digest(path.join(place, name), 'sha256', 'hex').catch(unless('ENOENT'))
    if (found !== sha256) return false
  }
  return true
}
