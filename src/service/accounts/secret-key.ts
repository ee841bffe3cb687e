// Generates the key that seals secrets if SECRET_KEY is not set. Only the service can read the file.
import { randomBytes } from 'node:crypto'
import { link, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unless } from '../../kit/system-errors.ts'

const fileIn = (directory: string): string => join(directory, 'secret.key')

/** Null: none was generated. */
export async function findSecretKey(directory: string): Promise<string | null> {
  return (await readFile(fileIn(directory), 'utf8').catch(unless('ENOENT')))?.trim() || null
}

/** A key that is there stays. */
export async function keepSecretKey(directory: string, secretKey: string): Promise<void> {
  // Written to a temporary file and linked: a crash leaves no partial key, and concurrent first starts agree on one.
  const temporary = await mkdtemp(join(directory, '.secret-'))
  const draft = join(temporary, 'key')
  await writeFile(draft, `${secretKey}\n`, { mode: 0o600, flush: true })
  await link(draft, fileIn(directory)).catch(unless('EEXIST'))
  await rm(temporary, { recursive: true })
}

export async function secretKeyIn(directory: string): Promise<string> {
  const known = await findSecretKey(directory)
  if (known) return known
  await keepSecretKey(directory, randomBytes(32).toString('base64url'))
  return (await readFile(fileIn(directory), 'utf8')).trim()
}
