// The signed-in user and the current workspace.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import * as api from './api/sdk.gen.ts'
import type { Session } from './api/types.gen.ts'
import { ask, orNull, rememberToken } from './service.ts'

/** Null: signed out. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 5 * 60_000,
  async queryFn(): Promise<Session | null> {
    const session = await orNull(ask(api.getSession()), [401])
    return session && kept(session)
  },
})

export function kept(session: Session): Session {
  rememberToken(session)
  return session
}

export type Workspace = Session['workspaces'][number]

const NONE: Workspace = { workspace_id: '', name: '', role: 'viewer', user_id: '' }

/** The workspace in the address. */
export function useWorkspace(): Workspace {
  const { data } = useQuery(sessionQuery)
  const { workspace } = useParams({ strict: false })
  return data?.workspaces.find(({ workspace_id }) => workspace_id === workspace) ?? NONE
}
