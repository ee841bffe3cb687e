// Reads an operator's own model: a folder with a `model.json` that names its kind and files.
import { access, readFile } from 'node:fs/promises'
import path from 'node:path'
import { isJsonObject, type JsonObject } from '../../domain/bot.ts'
import { parsedOrNull } from '../../kit/parsed-or-null.ts'

/** The file fields of a kind in `model.json`, and the section of sherpa-onnx's configuration they belong to. */
type Kind = {
  readonly files: readonly string[]
  readonly settings: readonly string[]
  readonly section: string
  readonly modelType?: string
}

// biome-ignore format: a table reads best with one row a line
const KINDS: Readonly<Record<string, Kind>> = {
  whisper:         { section: 'whisper',    files: ['encoder', 'decoder'],           settings: ['language', 'task'] },
  zipformer:       { section: 'transducer', files: ['encoder', 'decoder', 'joiner'], settings: [] },
  nemo_transducer: { section: 'transducer', files: ['encoder', 'decoder', 'joiner'], settings: [], modelType: 'nemo_transducer' },
  moonshine:       { section: 'moonshine',  files: ['encoder', 'mergedDecoder'],     settings: [] },
}

export type OwnModel = {
  /** Kind and folder name, for the raw answer. */
  readonly name: string
  /** sherpa-onnx's `modelConfig` without the number of threads. */
  readonly config: JsonObject
}

/** Throws an error that names the field if `model.json` is invalid or a file is missing. */
export async function readOwnModel(folder: string): Promise<OwnModel> {
  const fields = await readFields(folder)
  const name = String(fields.kind)
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  if (!kind) throw wrong(`kind must be one of ${Object.keys(KINDS).join(', ')}, not ${JSON.stringify(fields.kind)}`)
  const known = ['kind', 'tokens', ...kind.files, ...kind.settings]
  const unknown = Object.keys(fields).find((field) => !known.includes(field))
  if (unknown !== undefined) throw wrong(`${unknown} is unknown; ${name} has ${known.join(', ')}`)

  const part: Record<string, string> = {}
  for (const field of kind.files) part[field] = await fileOf(folder, field, fields[field])
  for (const field of kind.settings) if (fields[field] !== undefined) part[field] = textOf(field, fields[field])
  const tokens = await fileOf(folder, 'tokens', fields.tokens)
  const modelType = kind.modelType === undefined ? {} : { modelType: kind.modelType }
  return { name: `${name}: ${path.basename(folder)}`, config: { [kind.section]: part, tokens, ...modelType } }
}

async function readFields(folder: string): Promise<JsonObject> {
  const text = await readFile(path.join(folder, 'model.json'), 'utf8').catch((cause: unknown) => {
    throw new Error('model.json of NATIVE_MODEL cannot be read', { cause })
  })
  const fields = parsedOrNull(text)
  if (!isJsonObject(fields)) throw wrong('it must be a JSON object')
  return fields
}

async function fileOf(folder: string, field: string, value: unknown): Promise<string> {
  const file = path.resolve(folder, textOf(field, value))
  // The library ends the whole process if a file is missing.
  await access(file).catch((cause: unknown) => {
    throw wrong(`${field} names the file ${JSON.stringify(value)}, which cannot be read`, { cause })
  })
  return file
}

function textOf(field: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw wrong(`${field} must be a non-empty string`)
  return value
}

function wrong(problem: string, options?: ErrorOptions): Error {
  return new Error(`model.json of NATIVE_MODEL: ${problem}`, options)
}
