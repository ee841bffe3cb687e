// Login domains and their accounts, with the number of bots that each account has in meetings.
import { sql } from 'kysely'
import type { LoginId, WorkspaceId } from '../../../domain/bot.ts'
import type { Db } from '../database.ts'
import { running } from '../fleet/bots.ts'
import { firstValue, hasRow, rowsOf } from '../query.ts'
import { sqlState } from '../unreachable.ts'

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

export function insertDomain(db: Db, it: Omit<LoginDomain, 'loginCount' | 'activeLoginCount'>): Promise<boolean> {
  return hasRow(db)`insert into login_domains (platform, domain, workspace_id, name, login_mode, created_at)
    values (${it.platform}, ${it.domain}, ${it.workspaceId}, ${it.name}, ${it.loginMode}, ${it.createdAt})
    on conflict do nothing returning domain`
}

/** The workspace that owns the domain, regardless of the caller's. */
export function domainOwner(db: Db, platform: LoginPlatform, domain: string): Promise<WorkspaceId | null> {
  return firstValue<WorkspaceId>(db)`select workspace_id from login_domains where platform = ${platform} and domain = ${domain}`
}

export function listDomains(db: Db, workspace: WorkspaceId, platform: LoginPlatform, domain?: string): Promise<LoginDomain[]> {
  return rowsOf<LoginDomain>(db)`
    select platform, domain, workspace_id as "workspaceId", name, login_mode as "loginMode", created_at as "createdAt",
      (select count(*) from logins where logins.platform = it.platform and logins.domain = it.domain) as "loginCount",
      (select count(*) from logins where logins.platform = it.platform and logins.domain = it.domain and is_active) as "activeLoginCount"
    from login_domains it
    where workspace_id = ${workspace} and platform = ${platform} and (${domain ?? null}::text is null or domain = ${domain ?? null})
    order by domain`
}

export type DomainChange = { readonly name?: string | null; readonly loginMode?: LoginMode }

export type DomainName = Pick<LoginDomain, 'workspaceId' | 'platform' | 'domain'>

export async function changeDomain(db: Db, { workspaceId, platform, domain }: DomainName, change: DomainChange): Promise<void> {
  const { name, loginMode = null } = change
  await sql`update login_domains
    set name = ${name === undefined ? sql`name` : name}, login_mode = coalesce(${loginMode}, login_mode)
    where workspace_id = ${workspaceId} and platform = ${platform} and domain = ${domain}`.execute(db)
}

export function deleteDomain(db: Db, { workspaceId, platform, domain }: DomainName): Promise<boolean> {
  return hasRow(db)`
    delete from login_domains where workspace_id = ${workspaceId} and platform = ${platform} and domain = ${domain} returning domain`
}

export type NewLogin = Pick<Login, 'id' | 'platform' | 'domain' | 'email' | 'isActive'> & {
  readonly workspaceId: WorkspaceId
  readonly secret: Buffer
  readonly at: Date
}

export function insertLogin(db: Db, login: NewLogin): Promise<'added' | 'taken' | 'no_domain'> {
  const { id, platform, domain, workspaceId, email, secret, isActive, at } = login
  const writing = sql`insert into logins (id, platform, domain, workspace_id, email, secret, is_active, created_at)
    values (${id}, ${platform}, ${domain}, ${workspaceId}, ${email}, ${secret}, ${isActive}, ${at})`.execute(db)
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

export function listLogins(db: Db, workspace: WorkspaceId, platform: LoginPlatform, id?: string): Promise<Login[]> {
  return rowsOf<Login>(db)`
    select ${loginColumns} from logins it
    where workspace_id = ${workspace} and platform = ${platform} and (${id ?? null}::text is null or id = ${id ?? null})
    order by domain, email`
}

export type LoginChange = { readonly isActive?: boolean; readonly secret?: Buffer; readonly email?: string }

export type LoginName = { readonly workspaceId: WorkspaceId; readonly platform: LoginPlatform; readonly id: string }

export function changeLogin(db: Db, { workspaceId, platform, id }: LoginName, change: LoginChange): Promise<'changed' | 'taken'> {
  const { isActive = null, secret = null, email = null } = change
  const writing = sql`
    update logins set is_active = coalesce(${isActive}, is_active), secret = coalesce(${secret}, secret),
      email = coalesce(nullif(${email}, ''), email), last_error = case when ${isActive === true || secret !== null} then null else last_error end
    where workspace_id = ${workspaceId} and platform = ${platform} and id = ${id}`.execute(db)
  return outcomeOf(writing, { [UNIQUE_VIOLATION]: 'taken' }, 'changed')
}

export function deleteLogin(db: Db, { workspaceId, platform, id }: LoginName): Promise<boolean> {
  return hasRow(db)`delete from logins where workspace_id = ${workspaceId} and platform = ${platform} and id = ${id} returning id`
}

/** The domain's accounts with their sessions, locked so that two bots cannot take the last free session of one. */
export async function lockLogins(tx: Db, platform: LoginPlatform, domain: string): Promise<Login[]> {
  await sql`select from logins where platform = ${platform} and domain = ${domain} order by id for update`.execute(tx)
  return rowsOf<Login>(tx)`
    select ${loginColumns} from logins it where platform = ${platform} and domain = ${domain} order by sessions, id`
}

const loginColumns = sql`id, platform, domain, email, is_active as "isActive", last_error as "lastError", created_at as "createdAt",
  (select count(*) from bots where login_id = it.id and ${running}) as sessions`
