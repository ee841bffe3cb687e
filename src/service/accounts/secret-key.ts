// Generates the key that seals secrets if SECRET_KEY is not set. Only the service can read the file.
import { randomBytes } from 'node:crypto'
import { link, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export async function secretKeyIn(directory: string): Promise<string> {
  const file = join(directory, 'secret.key')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known.trim()) return known.trim()

  // Written to a temporary file and linked: a crash leaves no partial key, and concurrent first starts agree on one.
  const temporary = await mkdtemp(join(directory, '.secret-'))
  const draft = join(temporary, 'key')
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(temporary, { recursive: true })
  return (await readFile(file, 'utf8')).trim()
}
