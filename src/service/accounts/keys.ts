// Creates, recognises and revokes API keys. The database stores only digests.
import type { UserId, WorkspaceId } from '../../domain/bot.ts'
import { ServiceError } from '../../domain/errors.ts'
import { may, ONLY_OWNERS } from '../../domain/roles.ts'
import { batch } from '../../kit/batch.ts'
import { newId } from '../../kit/id.ts'
import { findKeyHolders, insertKey, type KeyHolder, type NewKey, noteKeyUse, revokeKey } from '../db/accounts/keys.ts'
import { lockMembers } from '../db/accounts/people.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { digestOfToken, newToken } from './secret-token.ts'

/** Cache lifetime of a key. A revocation or a change of role on another node takes effect within this time. */
const CACHED_MS = 3_000
const MAX_CACHED = 10_000
/** Resolution of a key's last-used time. */
const USE_NOTED_EVERY_MS = 60_000
const HINT_LENGTH = 4

export type Keys = ReturnType<typeof createKeys>

export function createKeys({ db, now }: { db: Db; now: () => Date }) {
  const cached = new Map<string, { readonly holder: KeyHolder; readonly until: number }>()
  // Batched, so that a flood of unknown keys does not take one connection per request.
  const find = batch((names: readonly string[]) => findKeyHolders(db, names))
  const noted = new Map<string, number>()

  /** Not awaited: on a full disk the write fails, and reads must still work. */
  function noteUse({ keyId }: KeyHolder): void {
    const at = now()
    if (at.getTime() - (noted.get(keyId) ?? 0) < USE_NOTED_EVERY_MS) return
    if (noted.size >= MAX_CACHED) noted.clear()
    noted.set(keyId, at.getTime())
    noteKeyUse(db, keyId, at).catch(() => noted.delete(keyId))
  }

  function forget(isMeant: (holder: KeyHolder) => boolean): void {
    for (const [name, { holder }] of cached) if (isMeant(holder)) cached.delete(name)
  }

  return {
    async recognise(key: string): Promise<KeyHolder | null> {
      const name = digestOfToken(key).toString('base64')
      const known = cached.get(name)
      if (known && known.until > now().getTime()) return known.holder

      const holder = (await find(name)) ?? null
      if (cached.size >= MAX_CACHED) cached.clear()
      if (holder) noteUse(holder)
      if (holder) cached.set(name, { holder, until: now().getTime() + CACHED_MS })
      else cached.delete(name)
      return holder
    },
    /** With a workspace: fails for a key of another workspace. */
    async revoke(keyId: string, at: Date, workspace?: WorkspaceId): Promise<void> {
      if (!(await revokeKey(db, keyId, at, workspace))) throw new ServiceError('key_not_found')
      forget((holder) => holder.keyId === keyId)
    },
    /** Call it after a user's role or membership has changed: this node then reads the user's keys anew. */
    forgetUser: (userId: string) => forget((holder) => holder.userId === userId),
  }
}

type KeyOfMember = {
  readonly workspaceId: WorkspaceId
  readonly maker: UserId
  readonly service: boolean
  readonly name: string
  readonly at: Date
}

/** Makes a key for an owner. The members are locked: an owner who is removed or demoted at the same time makes no key. */
export function makeKeyAsOwner(db: Db, { workspaceId, maker, service, name, at }: KeyOfMember): Promise<MadeKey> {
  return inTransaction(db, async (tx) => {
    const member = (await lockMembers(tx, workspaceId)).find(({ userId }) => userId === maker)
    if (!member || !may(member.role, 'manage')) throw new ServiceError('forbidden', ONLY_OWNERS)
    return makeKey(tx, { workspaceId, userId: service ? null : maker, madeBy: maker, name, at })
  })
}

export type KeyRequest = Omit<NewKey, 'id' | 'digest' | 'hint'> & { readonly value?: string }

type MadeKey = { readonly keyId: string; readonly apiKey: string }

/** Returns the only copy of the new key. */
export async function makeKey(tx: Db, { value, ...request }: KeyRequest): Promise<MadeKey> {
  const apiKey = value ?? `em_${newToken()}`
  const keyId = newId('key', request.at)
  await insertKey(tx, { ...request, id: keyId, digest: digestOfToken(apiKey), hint: apiKey.slice(-HINT_LENGTH) })
  return { keyId, apiKey }
}
