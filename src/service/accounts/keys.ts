// API keys: made, recognised, revoked. The key itself is shown once; the database holds its digest.
import { createHash, randomBytes } from 'node:crypto'
import type { UserId, WorkspaceId } from '../../domain/bot.ts'
import { ServiceError } from '../../domain/errors.ts'
import { batch } from '../../kit/batch.ts'
import { newId } from '../../kit/id.ts'
import type { Db } from '../db/database.ts'
import { findKeyHolders, insertKey, type KeyHolder, noteKeyUse, revokeKey } from '../db/keys.ts'

/** How long a key is trusted without asking the database: another node's revocation is noticed within this. */
const TRUSTED_MS = 3_000
const MOST_TRUSTED = 10_000
/** How exact the time of a key's last use is. */
const USE_NOTED_EVERY_MS = 60_000
const HINT_LENGTH = 4

export type Keys = {
  recognise(key: string): Promise<KeyHolder | null>
  /** With a workspace: only a key of it. */
  revoke(keyId: string, at: Date, workspace?: WorkspaceId): Promise<void>
}

export function createKeys({ db, now }: { db: Db; now: () => Date }): Keys {
  const trusted = new Map<string, { readonly holder: KeyHolder; readonly until: number }>()
  // Requests with unknown keys ask the database together: a flood of them takes no connection each.
  const find = batch((names: readonly string[]) => findKeyHolders(db, names))
  const noted = new Map<string, number>()

  /** No request waits for it or fails with it: on a full disk a key can still be read with. */
  function noteUse({ keyId }: KeyHolder): void {
    const at = now()
    if (at.getTime() - (noted.get(keyId) ?? 0) < USE_NOTED_EVERY_MS) return
    if (noted.size >= MOST_TRUSTED) noted.clear()
    noted.set(keyId, at.getTime())
    noteKeyUse(db, keyId, at).catch(() => noted.delete(keyId))
  }

  return {
    async recognise(key) {
      const name = digestOf(key).toString('base64')
      const known = trusted.get(name)
      if (known && known.until > now().getTime()) return known.holder

      const holder = (await find(name)) ?? null
      if (trusted.size >= MOST_TRUSTED) trusted.clear()
      if (holder) noteUse(holder)
      if (holder) trusted.set(name, { holder, until: now().getTime() + TRUSTED_MS })
      else trusted.delete(name)
      return holder
    },
    async revoke(keyId, at, workspace) {
      if (!(await revokeKey(db, keyId, at, workspace))) throw new ServiceError('key_not_found')
      for (const [name, { holder }] of trusted) if (holder.keyId === keyId) trusted.delete(name)
    },
  }
}

export type KeyRequest = {
  readonly workspaceId: WorkspaceId
  readonly userId: UserId | null
  readonly name: string
  readonly at: Date
  readonly value?: string
}

/** Writes a new key and returns the only copy of it. */
export async function makeKey(tx: Db, { workspaceId, userId, name, at, value }: KeyRequest): Promise<{ keyId: string; apiKey: string }> {
  const apiKey = value ?? `em_${randomBytes(32).toString('base64url')}`
  const keyId = newId('key', at)
  await insertKey(tx, { id: keyId, workspaceId, userId, name, digest: digestOf(apiKey), hint: apiKey.slice(-HINT_LENGTH), at })
  return { keyId, apiKey }
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
