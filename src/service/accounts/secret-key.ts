// The key that seals secrets, when the operator sets none: made once, readable by the service alone.
import { randomBytes } from 'node:crypto'
import { link, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export async function secretKeyIn(directory: string): Promise<string> {
  const file = join(directory, 'secret.key')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known.trim()) return known.trim()

  // Written whole and then put in place: a crash leaves no half key, and of two first starts one wins.
  const workshop = await mkdtemp(join(directory, '.secret-'))
  const draft = join(workshop, 'key')
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(workshop, { recursive: true })
  return (await readFile(file, 'utf8')).trim()
}
