// Login domains and their accounts, with the number of bots that each account has in meetings.
import { sql } from 'kysely'
import type { LoginId, WorkspaceId } from '../../domain/bot.ts'
import { running } from './bots.ts'
import type { Db } from './database.ts'
import { sqlState } from './unreachable.ts'

const UNIQUE_VIOLATION = '23505'
const MISSING_REFERENCE = '23503'

export type LoginPlatform = 'google_meet' | 'teams'
export type LoginMode = 'always' | 'if_required'

export type LoginDomain = {
  readonly platform: LoginPlatform
  readonly domain: string
  readonly workspaceId: WorkspaceId
  readonly name: string | null
  readonly loginMode: LoginMode
  readonly createdAt: Date
  readonly loginCount: number
  readonly activeLoginCount: number
}

export type Login = {
  readonly id: LoginId
  readonly platform: LoginPlatform
  readonly domain: string
  readonly email: string
  readonly isActive: boolean
  readonly lastError: string | null
  readonly createdAt: Date
  readonly sessions: number
}

export async function insertDomain(
  db: Db,
  it: Pick<LoginDomain, 'platform' | 'domain' | 'workspaceId' | 'name' | 'loginMode' | 'createdAt'>,
): Promise<boolean> {
  const row = await db
    .insertInto('login_domains')
    .values({
      platform: it.platform,
      domain: it.domain,
      workspace_id: it.workspaceId,
      name: it.name,
      login_mode: it.loginMode,
      created_at: it.createdAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('domain')
    .executeTakeFirst()
  return row !== undefined
}

/** The workspace that owns the domain, regardless of the caller's. */
export async function domainOwner(db: Db, platform: LoginPlatform, domain: string): Promise<WorkspaceId | null> {
  const row = await db
    .selectFrom('login_domains')
    .select('workspace_id')
    .where('platform', '=', platform)
    .where('domain', '=', domain)
    .executeTakeFirst()
  return (row?.workspace_id as WorkspaceId | undefined) ?? null
}

export async function listDomains(db: Db, workspace: WorkspaceId, platform: LoginPlatform, domain?: string): Promise<LoginDomain[]> {
  const { rows } = await sql<LoginDomain>`
    select platform, domain, workspace_id as "workspaceId", name, login_mode as "loginMode", created_at as "createdAt",
      (select count(*) from logins where logins.platform = it.platform and logins.domain = it.domain) as "loginCount",
      (select count(*) from logins where logins.platform = it.platform and logins.domain = it.domain and is_active) as "activeLoginCount"
    from login_domains it
    where workspace_id = ${workspace} and platform = ${platform} and (${domain ?? null}::text is null or domain = ${domain ?? null})
    order by domain`.execute(db)
  return rows
}

export type DomainChange = { readonly name?: string | null; readonly loginMode?: LoginMode }

export type DomainName = { readonly workspaceId: WorkspaceId; readonly platform: LoginPlatform; readonly domain: string }

export async function changeDomain(db: Db, { workspaceId, platform, domain }: DomainName, change: DomainChange): Promise<void> {
  await db
    .updateTable('login_domains')
    .set({
      domain,
      ...(change.name !== undefined && { name: change.name }),
      ...(change.loginMode && { login_mode: change.loginMode }),
    })
    .where('workspace_id', '=', workspaceId)
    .where('platform', '=', platform)
    .where('domain', '=', domain)
    .execute()
}

export async function deleteDomain(db: Db, { workspaceId, platform, domain }: DomainName): Promise<boolean> {
  const row = await db
    .deleteFrom('login_domains')
    .where('workspace_id', '=', workspaceId)
    .where('platform', '=', platform)
    .where('domain', '=', domain)
    .returning('domain')
    .executeTakeFirst()
  return row !== undefined
}

export type NewLogin = {
  readonly id: LoginId
  readonly platform: LoginPlatform
  readonly domain: string
  readonly workspaceId: WorkspaceId
  readonly email: string
  readonly secret: Buffer
  readonly isActive: boolean
  readonly at: Date
}

export async function insertLogin(db: Db, login: NewLogin): Promise<'added' | 'taken' | 'no_domain'> {
  const writing = db
    .insertInto('logins')
    .values({
      id: login.id,
      platform: login.platform,
      domain: login.domain,
      workspace_id: login.workspaceId,
      email: login.email,
      secret: login.secret,
      is_active: login.isActive,
      created_at: login.at,
    })
    .execute()
  return outcomeOf(writing, { [UNIQUE_VIOLATION]: 'taken', [MISSING_REFERENCE]: 'no_domain' }, 'added')
}

/** The unique indexes decide, because of concurrent writes. */
async function outcomeOf<Word extends string>(writing: Promise<unknown>, words: Readonly<Record<string, Word>>, done: Word): Promise<Word> {
  try {
    await writing
    return done
  } catch (error) {
    const word = words[sqlState(error) ?? '']
    if (!word) throw error
    return word
  }
}

export async function listLogins(db: Db, workspace: WorkspaceId, platform: LoginPlatform, id?: string): Promise<Login[]> {
  const { rows } = await sql<Login>`
    select ${loginColumns} from logins it
    where workspace_id = ${workspace} and platform = ${platform} and (${id ?? null}::text is null or id = ${id ?? null})
    order by domain, email`.execute(db)
  return rows
}

export type LoginChange = { readonly isActive?: boolean; readonly secret?: Buffer; readonly email?: string }

export type LoginName = { readonly workspaceId: WorkspaceId; readonly platform: LoginPlatform; readonly id: string }

export async function changeLogin(db: Db, { workspaceId, platform, id }: LoginName, change: LoginChange): Promise<'changed' | 'taken'> {
  const writing = db
    .updateTable('logins')
    .set({
      id,
      ...(change.isActive !== undefined && { is_active: change.isActive }),
      ...(change.isActive && { last_error: null }),
      ...(change.secret && { secret: change.secret, last_error: null }),
      ...(change.email && { email: change.email }),
    })
    .where('workspace_id', '=', workspaceId)
    .where('platform', '=', platform)
    .where('id', '=', id)
    .execute()
  return outcomeOf(writing, { [UNIQUE_VIOLATION]: 'taken' }, 'changed')
}

export async function deleteLogin(db: Db, { workspaceId, platform, id }: LoginName): Promise<boolean> {
  const row = await db
    .deleteFrom('logins')
    .where('workspace_id', '=', workspaceId)
    .where('platform', '=', platform)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The domain's accounts with their sessions, locked so that two bots cannot take the last free session of one. */
export async function lockLogins(tx: Db, platform: LoginPlatform, domain: string): Promise<Login[]> {
  await sql`select from logins where platform = ${platform} and domain = ${domain} order by id for update`.execute(tx)
  const { rows } = await sql<Login>`
    select ${loginColumns} from logins it where platform = ${platform} and domain = ${domain} order by sessions, id`.execute(tx)
  return rows
}

const loginColumns = sql`id, platform, domain, email, is_active as "isActive", last_error as "lastError", created_at as "createdAt",
  (select count(*) from bots where login_id = it.id and ${running}) as sessions`
