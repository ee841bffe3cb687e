// Workspaces, their users and credits.
import { sql } from 'kysely'
import type { BotId, UserId, WorkspaceId } from '../../domain/bot.ts'
import type { Db } from './database.ts'

export type Workspace = {
  readonly id: WorkspaceId
  readonly name: string
  readonly balance: number
  readonly createdAt: Date
}

export async function insertWorkspace(tx: Db, { id, name, at }: { id: WorkspaceId; name: string; at: Date }): Promise<void> {
  await tx.insertInto('workspaces').values({ id, name, created_at: at }).execute()
}

export async function listWorkspaces(db: Db): Promise<Workspace[]> {
  const rows = await db
    .selectFrom('workspaces')
    .select(['id', 'name', 'balance', 'created_at'])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ id: row.id as WorkspaceId, name: row.name, balance: row.balance, createdAt: row.created_at }))
}

export async function workspaceExists(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('workspaces').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

export type NewUser = {
  readonly id: UserId
  readonly workspaceId: WorkspaceId
  readonly email: string
  readonly isAdmin: boolean
  readonly at: Date
}

export async function insertUser(tx: Db, user: NewUser): Promise<void> {
  await tx
    .insertInto('users')
    .values({ id: user.id, workspace_id: user.workspaceId, email: user.email, is_admin: user.isAdmin, created_at: user.at })
    .execute()
}

/** The workspace's first user, who owns the keys that the operator makes. A viewer only if there is no other: a viewer's key can only read. */
export async function firstUser(db: Db, workspace: WorkspaceId): Promise<UserId | null> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('workspace_id', '=', workspace)
    .orderBy((user) => user('role', '=', 'viewer'))
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  return (row?.id as UserId | undefined) ?? null
}

export type CreditEntry = {
  readonly id: string
  readonly workspaceId: WorkspaceId
  readonly kind: 'grant' | 'usage' | 'refund'
  readonly amount: number
  readonly botId: BotId | null
  readonly botSeconds: number | null
  readonly at: Date
}

/** Adds an entry to the ledger and updates the balance. False: this bot was charged before. */
export async function enterCredit(tx: Db, entry: CreditEntry): Promise<boolean> {
  const written = await tx
    .insertInto('credit_entries')
    .values({
      id: entry.id,
      workspace_id: entry.workspaceId,
      kind: entry.kind,
      amount: entry.amount,
      bot_id: entry.botId,
      bot_seconds: entry.botSeconds,
      created_at: entry.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!written) return false
  await tx
    .updateTable('workspaces')
    .set({ balance: sql`balance + ${entry.amount}` })
    .where('id', '=', entry.workspaceId)
    .execute()
  return true
}

export type Usage = { readonly workspaceId: WorkspaceId; readonly amount: number; readonly botSeconds: number }

/** The amount that the bot was charged. */
export async function findUsage(db: Db, bot: BotId): Promise<Usage | null> {
  const row = await db.selectFrom('credit_entries').selectAll().where('bot_id', '=', bot).where('kind', '=', 'usage').executeTakeFirst()
  return row ? { workspaceId: row.workspace_id as WorkspaceId, amount: row.amount, botSeconds: row.bot_seconds ?? 0 } : null
}

export async function balanceOf(db: Db, workspace: WorkspaceId): Promise<number> {
  const row = await db.selectFrom('workspaces').select('balance').where('id', '=', workspace).executeTakeFirst()
  return row?.balance ?? 0
}

/** Reads the balance and locks it until the transaction ends. */
export async function lockBalance(tx: Db, workspace: WorkspaceId): Promise<number> {
  const row = await tx.selectFrom('workspaces').select('balance').where('id', '=', workspace).forNoKeyUpdate().executeTakeFirst()
  return row?.balance ?? 0
}

export type UsageDay = { readonly day: string; readonly bots: number; readonly seconds: number; readonly cost: number }

export async function usageByDay(db: Db, workspace: WorkspaceId, { from, before }: { from: Date; before: Date }): Promise<UsageDay[]> {
  const { rows } = await sql<UsageDay>`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(distinct bot_id) as bots,
      coalesce(sum(bot_seconds), 0) as seconds, -sum(amount) as cost
    from credit_entries where workspace_id = ${workspace} and kind <> 'grant' and created_at >= ${from} and created_at < ${before}
    group by day order by day`.execute(db)
  return rows
}

export type ZoomApp = { readonly key: string; readonly secret: Buffer }

export async function zoomAppOf(db: Db, workspace: WorkspaceId): Promise<ZoomApp | null> {
  const row = await db.selectFrom('workspaces').select(['zoom_sdk_key', 'zoom_sdk_secret']).where('id', '=', workspace).executeTakeFirst()
  return row?.zoom_sdk_key && row.zoom_sdk_secret ? { key: row.zoom_sdk_key, secret: row.zoom_sdk_secret } : null
}

export async function setZoomApp(db: Db, workspace: WorkspaceId, app: ZoomApp | null): Promise<void> {
  await db
    .updateTable('workspaces')
    .set({ zoom_sdk_key: app?.key ?? null, zoom_sdk_secret: app?.secret ?? null })
    .where('id', '=', workspace)
    .execute()
}
