// The file of a field kit: gzip of one JSON object per line, first the header, then the steps.
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { cpus, release, totalmem, type } from 'node:os'
import { pipeline as pipe, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import packageFile from '../../../package.json' with { type: 'json' }
import type { Check } from '../../domain/doctor.ts'
import { FIELD_KIT_VERSION, type FieldKit, type FieldKitHeader, type FieldStep } from '../../domain/field-kit.ts'
import { linesOf } from '../../kit/lines.ts'
import { parsedOrNull } from '../../kit/parsed-or-null.ts'

/** The checks whose sentences name no folder of the machine. */
const CHECKS = ['browser', 'codecs', 'clock', 'display', 'fonts', 'network']
const LARGEST_BYTES = 1024 ** 3

type About = Pick<FieldKitHeader, 'driver' | 'settings'> & { readonly checks: readonly Check[] }

export function headerOf({ driver, settings, checks }: About): FieldKitHeader {
  const [cpu] = cpus()
  return {
    kind: 'field_kit',
    version: FIELD_KIT_VERSION,
    emissary: packageFile.version,
    driver,
    at: Date.now(),
    machine: {
      system: `${type()} ${release()} ${process.arch}`,
      node: process.version,
      cpus: `${cpus().length} ${cpu?.model ?? ''}`.trim(),
      memoryMb: Math.round(totalmem() / 1024 ** 2),
      checks: Object.fromEntries(checks.map(({ name, state, says }) => [name, CHECKS.includes(name) ? `${state}: ${says}` : state])),
    },
    settings,
  }
}

/** With pictures it shows people of the meeting, so only its owner may read it. */
export async function writeFieldKit(file: string, { header, steps }: FieldKit): Promise<void> {
  const lines = function* (): Generator<string> {
    for (const it of [header, ...steps]) yield `${JSON.stringify(it)}\n`
  }
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
}

/** Throws a sentence where the file is no field kit of this version. */
export async function readFieldKit(file: string): Promise<FieldKit> {
  const [first = '', ...others] = await unpack(file)
  const header = parsedOrNull(first) as Partial<FieldKitHeader> | null
  if (header?.kind !== 'field_kit') throw new Error(`${file} is no field kit: its first line has no kind field_kit.`)
  if (header.version !== FIELD_KIT_VERSION)
    throw new Error(`${file} is a field kit of version ${header.version}, but this Emissary reads version ${FIELD_KIT_VERSION}.`)
  const steps = others.map((line, index) => {
    const step = parsedOrNull(line) as FieldStep | null
    if (typeof step?.at !== 'number' || typeof step.kind !== 'string') throw new Error(`${file} is damaged: line ${index + 2} is no step.`)
    return step
  })
  if (steps.length === 0) throw new Error(`${file} has no steps.`)
  return { header: header as FieldKitHeader, steps }
}

/** A file of strangers may be small and unpack to more than the memory. */
async function unpack(file: string): Promise<readonly string[]> {
  const handle = await open(file).catch(() => {
    throw new Error(`${file} cannot be read.`)
  })
  const unpacked = createGunzip()
  // The reader of `unpacked` gets the error.
  pipe(handle.createReadStream(), unpacked, () => undefined)
  let bytes = 0
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of unpacked) {
      bytes += chunk.length
      if (bytes > LARGEST_BYTES) return
      yield chunk
    }
  }
  const lines: string[] = []
  try {
    for await (const line of linesOf(counted())) if (line !== '') lines.push(line)
  } catch {
    throw new Error(`${file} is no field kit: it cannot be unpacked by gzip.`)
  }
  if (bytes > LARGEST_BYTES) throw new Error(`${file} is no field kit: it is larger than ${LARGEST_BYTES / 1024 ** 3} GB.`)
  return lines
}
