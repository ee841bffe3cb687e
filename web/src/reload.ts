// Reloads queries after a change.
import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** An answer that is on its way may be from before the change. Invalidating alone would accept it if it is the first one. */
export async function reload(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  await queries.cancelQueries({ queryKey })
  await queries.invalidateQueries({ queryKey })
}
