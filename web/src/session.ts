// The signed-in user and the current workspace.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { SessionAnswer } from '../../src/service/api/dashboard/schema.ts'
import { askOwn, rememberToken, ServiceProblem } from './service.ts'

export type { SessionAnswer }

/** Null: signed out. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 5 * 60_000,
  async queryFn(): Promise<SessionAnswer | null> {
    try {
      return kept(await askOwn<SessionAnswer>('GET', '/session'))
    } catch (error) {
      if (error instanceof ServiceProblem && error.status === 401) return null
      throw error
    }
  },
})

export function kept(session: SessionAnswer): SessionAnswer {
  rememberToken(session)
  return session
}

export type Workspace = SessionAnswer['workspaces'][number]

const NONE: Workspace = { workspace_id: '', name: '', role: 'viewer', user_id: '' }

/** The workspace in the address. */
export function useWorkspace(): Workspace {
  const { data } = useQuery(sessionQuery)
  const { workspace } = useParams({ strict: false })
  return data?.workspaces.find(({ workspace_id }) => workspace_id === workspace) ?? NONE
}
