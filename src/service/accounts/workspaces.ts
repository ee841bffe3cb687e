// Creates workspaces: the first one in an empty database, and those that an operator adds.
import type { UserId, WorkspaceId } from '../../domain/bot.ts'
import { newId } from '../../kit/id.ts'
import { insertUser, insertWorkspace, listWorkspaces } from '../db/accounts/accounts.ts'
import { type Db, inTransaction, lockWork } from '../db/database.ts'
import { makeKey } from './keys.ts'

const BOOTSTRAPPING = 4_021_978

export type NewWorkspace = { readonly workspaceId: WorkspaceId; readonly userId: UserId; readonly email: string; readonly apiKey: string }

export type WorkspaceRequest = { readonly name: string; readonly email: string; readonly at: Date; readonly apiKey?: string | undefined }

/** Creates a workspace with one user and one API key. */
export async function createWorkspace(db: Db, { name, email, at, apiKey: value }: WorkspaceRequest): Promise<NewWorkspace> {
  return inTransaction(db, async (tx) => {
    const workspaceId = newId('wsp', at) as WorkspaceId
    const userId = newId('usr', at) as UserId
    await insertWorkspace(tx, { id: workspaceId, name, at })
    await insertUser(tx, { id: userId, workspaceId, email, isAdmin: true, at })
    const { apiKey } = await makeKey(tx, { workspaceId, userId, madeBy: 'operator', name: 'first key', at, ...(value && { value }) })
    return { workspaceId, userId, email, apiKey }
  })
}

/** Creates the first workspace. Null if the database has one. */
export async function bootstrap(db: Db, { apiKey, at }: { apiKey: string | undefined; at: Date }): Promise<NewWorkspace | null> {
  return inTransaction(db, async (tx) => {
    await lockWork(tx, BOOTSTRAPPING)
    if ((await listWorkspaces(tx)).length > 0) return null
    return createWorkspace(tx, { name: 'default', email: 'admin@localhost', at, apiKey })
  })
}
