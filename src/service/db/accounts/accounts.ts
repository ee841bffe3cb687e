// Workspaces, their users and credits.
import { sql } from 'kysely'
import type { BotId, UserId, WorkspaceId } from '../../../domain/bot.ts'
import type { Db } from '../database.ts'
import { firstRow, firstValue, hasRow, rowsOf } from '../query.ts'

export type Workspace = {
  readonly id: WorkspaceId
  readonly name: string
  readonly balance: number
  readonly createdAt: Date
}

export async function insertWorkspace(tx: Db, { id, name, at }: { id: WorkspaceId; name: string; at: Date }): Promise<void> {
  await sql`insert into workspaces (id, name, created_at) values (${id}, ${name}, ${at})`.execute(tx)
}

export function listWorkspaces(db: Db): Promise<Workspace[]> {
  return rowsOf<Workspace>(db)`select id, name, balance, created_at as "createdAt" from workspaces order by created_at, id`
}

export function workspaceExists(db: Db, id: string): Promise<boolean> {
  return hasRow(db)`select from workspaces where id = ${id}`
}

export type NewUser = {
  readonly id: UserId
  readonly workspaceId: WorkspaceId
  readonly email: string
  readonly isAdmin: boolean
  readonly at: Date
}

export async function insertUser(tx: Db, { id, workspaceId, email, isAdmin, at }: NewUser): Promise<void> {
  await sql`insert into users (id, workspace_id, email, is_admin, created_at)
    values (${id}, ${workspaceId}, ${email}, ${isAdmin}, ${at})`.execute(tx)
}

/** The workspace's first user, who owns the keys that the operator makes. A viewer only if there is no other: a viewer's key can only read. */
export function firstUser(db: Db, workspace: WorkspaceId): Promise<UserId | null> {
  return firstValue<UserId>(db)`select id from users where workspace_id = ${workspace} order by role = 'viewer', created_at limit 1`
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
export async function enterCredit(tx: Db, { id, workspaceId, kind, amount, botId, botSeconds, at }: CreditEntry): Promise<boolean> {
  const isNew = await hasRow(tx)`
    insert into credit_entries (id, workspace_id, kind, amount, bot_id, bot_seconds, created_at)
    values (${id}, ${workspaceId}, ${kind}, ${amount}, ${botId}, ${botSeconds}, ${at}) on conflict do nothing returning id`
  if (isNew) await sql`update workspaces set balance = balance + ${amount} where id = ${workspaceId}`.execute(tx)
  return isNew
}

export type Usage = { readonly workspaceId: WorkspaceId; readonly amount: number; readonly botSeconds: number }

/** The amount that the bot was charged. */
export function findUsage(db: Db, bot: BotId): Promise<Usage | null> {
  return firstRow<Usage>(db)`
    select workspace_id as "workspaceId", amount, coalesce(bot_seconds, 0) as "botSeconds"
    from credit_entries where bot_id = ${bot} and kind = 'usage'`
}

export async function balanceOf(db: Db, workspace: WorkspaceId): Promise<number> {
  return (await firstValue<number>(db)`select balance from workspaces where id = ${workspace}`) ?? 0
}

/** Reads the balance and locks it until the transaction ends. */
export async function lockBalance(tx: Db, workspace: WorkspaceId): Promise<number> {
  return (await firstValue<number>(tx)`select balance from workspaces where id = ${workspace} for no key update`) ?? 0
}

export type UsageDay = { readonly day: string; readonly bots: number; readonly seconds: number; readonly cost: number }

export function usageByDay(db: Db, workspace: WorkspaceId, { from, before }: { from: Date; before: Date }): Promise<UsageDay[]> {
  return rowsOf<UsageDay>(db)`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(distinct bot_id) as bots,
      coalesce(sum(bot_seconds), 0) as seconds, -sum(amount) as cost
    from credit_entries where workspace_id = ${workspace} and kind <> 'grant' and created_at >= ${from} and created_at < ${before}
    group by day order by day`
}

export type ZoomApp = { readonly key: string; readonly secret: Buffer }

export function zoomAppOf(db: Db, workspace: WorkspaceId): Promise<ZoomApp | null> {
  return firstRow<ZoomApp>(db)`
    select zoom_sdk_key as key, zoom_sdk_secret as secret from workspaces
    where id = ${workspace} and zoom_sdk_key <> '' and zoom_sdk_secret is not null`
}

export async function setZoomApp(db: Db, workspace: WorkspaceId, app: ZoomApp | null): Promise<void> {
  await sql`update workspaces set zoom_sdk_key = ${app?.key ?? null}, zoom_sdk_secret = ${app?.secret ?? null}
    where id = ${workspace}`.execute(db)
}

export type SealedTeamsApp = { readonly tenant: string; readonly clientId: string; readonly secret: Buffer }

export function teamsAppOf(db: Db, workspace: WorkspaceId): Promise<SealedTeamsApp | null> {
  return firstRow<SealedTeamsApp>(db)`
    select teams_bot_tenant as tenant, teams_bot_client_id as "clientId", teams_bot_client_secret as secret
    from workspaces where id = ${workspace} and teams_bot_client_secret is not null`
}

export async function setTeamsApp(db: Db, workspace: WorkspaceId, app: SealedTeamsApp | null): Promise<void> {
  await sql`update workspaces set teams_bot_tenant = ${app?.tenant ?? null}, teams_bot_client_id = ${app?.clientId ?? null},
    teams_bot_client_secret = ${app?.secret ?? null} where id = ${workspace}`.execute(db)
}
