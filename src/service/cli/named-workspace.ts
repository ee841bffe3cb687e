// The workspace that an operator names. Names are not unique, and customers choose them, so an id comes first and a shared name is refused.
import { listWorkspaces, type Workspace } from '../db/accounts/accounts.ts'
import type { Db } from '../db/database.ts'

/** Throws a sentence for the operator if no workspace, or several, are meant. */
export async function namedWorkspace(db: Db, nameOrId: string): Promise<Workspace> {
  const all = await listWorkspaces(db)
  const byId = all.find(({ id }) => id === nameOrId)
  if (byId) return byId
  const [found, ...others] = all.filter(({ name }) => name === nameOrId)
  if (!found) throw new Error(`There is no workspace ${nameOrId}. Name one by its name or id.`)
  if (others.length === 0) return found
  const ids = [found, ...others].map(({ id }) => id).join(', ')
  throw new Error(`${others.length + 1} workspaces are named ${nameOrId}. Name one by its id: ${ids}.`)
}
