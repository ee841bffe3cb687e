// Opens the vault of this database, with the given key or a generated one, and refuses a key that did not seal its secrets.
import { join } from 'node:path'
import type { Db } from '../db/database.ts'
import { readSecretCheck, replaceSecretCheck, sampleSecrets, writeSecretCheck } from '../db/secret-check.ts'
import { secretKeyIn } from './secret-key.ts'
import { createVault, openOrNull, type Vault } from './secrets.ts'

const OWNER = 'secret_check'
const CHECK = 'sealed with the right key'

export type VaultOptions = {
  readonly db: Db
  /** SECRET_KEY, if the operator set it. */
  readonly given: string | undefined
  /** DATA_DIR, which holds the generated key. */
  readonly folder: string
  readonly now: () => Date
}

/** Throws an error for the operator if the key has changed. */
export async function openVault({ db, given, folder, now }: VaultOptions) {
  const secretKey = given ?? (await secretKeyIn(folder))
  const vault = createVault(secretKey)
  const known = await readSecretCheck(db)
  if (known) return expectOpens(vault, known)

  // A database of an earlier version has no check value, so sample secrets are opened. One that opens is enough: the key may have changed before.
  const secrets = await sampleSecrets(db)
  if (secrets.length > 0 && secrets.every(({ owner, secret }) => openOrNull(vault, owner, secret) === null)) throw wrongKey()
  await writeSecretCheck(db, vault.seal(OWNER, CHECK), now())
  return expectOpens(vault, (await readSecretCheck(db)) ?? Buffer.alloc(0))

  function expectOpens(vault: Vault, check: Buffer) {
    if (openOrNull(vault, OWNER, check) === null) throw wrongKey()
    return { secretKey, vault }
  }

  function wrongKey(): Error {
    const file = join(folder, 'secret.key')
    const remedy = given
      ? 'SECRET_KEY is not the key that sealed the secrets in this database. Set SECRET_KEY to its earlier value'
      : `${file} is not the key that sealed the secrets in this database. Put the earlier file back, or set SECRET_KEY to the key of the other nodes`
    return new Error(`${remedy}; or run 'emissary accept-key' to continue with this key and lose those secrets.`)
  }
}

/** Accepts the current key. Secrets that were sealed with an earlier key stay unreadable. */
export async function acceptKey({ db, given, folder, now }: VaultOptions): Promise<void> {
  const vault = createVault(given ?? (await secretKeyIn(folder)))
  await replaceSecretCheck(db, vault.seal(OWNER, CHECK), now())
}
