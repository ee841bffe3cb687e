// Looks at lapsed leases: which of them a node may end. A holder that cannot renew asks the nodes that it knows, and its bots may stay.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { rowsOf } from '../query.ts'
import type { NodeAddress } from './nodes.ts'

/** What a look finds is valid for this long by the clock of the database. A statement that it executes later changes nothing. */
export const LAPSE_LOOK_SECONDS = 1.5

/** A lease that ends sooner was not renewed when it should have been. */
const LATE = sql`interval '5 s'`
const AT_ONCE = 10

/** A look of a node at lapsed leases. */
export type LapseLook = {
  readonly nodeId: string
  /** By the clock of the database. A frozen database may execute a statement after the node has promised to end no lease. */
  readonly validUntil: string
  /** Holders whose bots have left, as they say themselves or as their end shows. */
  readonly left: readonly string[]
}

/**
 * When the node joined; null: its row has lapsed. Then holders may have forgotten it, and each of them is a stranger to it until it has joined
 * again.
 */
const joinedAt = (nodeId: string) => sql`(select joined_at from nodes where id = ${nodeId} and alive_until > now())`

/** `strangers`: silent holders that do not know this node. It must ask them, and it begins before their leases lapse. */
export async function beginLook(
  db: Db,
  nodeId: string,
): Promise<Pick<LapseLook, 'validUntil'> & { readonly strangers: readonly NodeAddress[] }> {
  const rows = await rowsOf<NodeAddress & Pick<LapseLook, 'validUntil'>>(db)`
    select look.*, stranger.* from (select (now() + make_interval(secs => ${LAPSE_LOOK_SECONDS}))::text as "validUntil") as look
      left join (
        select id, address, key from nodes where id <> ${nodeId} and holds_until < now() + ${LATE} and knows is not null
          and coalesce(knows < ${joinedAt(nodeId)}, true) order by holds_until limit ${AT_ONCE}
      ) as stranger on true`
  return { validUntil: rows[0]?.validUntil ?? '', strangers: rows.filter(({ id }) => id !== null) }
}

/**
 * The condition for the row of a silent holder. A holder that knows this node has asked it, and it has promised nothing. A holder that does not
 * know it may stay until its own limit is over. A node ends its own leases too: a claim that it could not release lapses, also if the node has
 * joined again since its last renewal.
 */
export function mayEnd({ nodeId, validUntil, left }: LapseLook) {
  return sql`(now() < ${validUntil}::timestamptz and (holder.knows is null or holder.id = ${nodeId} or holder.id = any(${left}::text[])
    or holder.knows >= ${joinedAt(nodeId)} or holder.holds_until < now() - make_interval(secs => holder.outage_seconds)))`
}
