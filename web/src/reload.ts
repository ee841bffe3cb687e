// The workspace's queries, by their names, and their reload after a change.
import { type QueryClient, type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useWorkspace } from './session.ts'

/** An answer that is on its way may be from before the change. Invalidating alone would accept it if it is the first one. */
export async function reload(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  await queries.cancelQueries({ queryKey })
  await queries.invalidateQueries({ queryKey })
}

/** The workspace's query under `names`. A change under the same names, or the first of them, reloads it. */
export function useNamedQuery<Data>(names: readonly string[], queryFn: () => Promise<Data>, refetchInterval?: number) {
  const { workspace_id } = useWorkspace()
  return useQuery({ queryKey: [workspace_id, ...names], queryFn, refetchInterval })
}

export type Change<Data = unknown> = (work: () => Promise<Data>) => void

/** Runs changes, and reloads the workspace's queries under `names` after each. */
export function useChange<Data = unknown>(...names: readonly string[]) {
  const { workspace_id } = useWorkspace()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (work: () => Promise<Data>) => work(),
    onSuccess: () => reload(queries, [workspace_id, ...names]),
  })
}
