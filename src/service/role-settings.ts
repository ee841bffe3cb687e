// What the roles of a process require of its other settings.
import { ALL_ROLES, type NodeRole } from '../domain/node-roles.ts'
import { ConfigError } from './setting-readers.ts'

/** Roles with many statements at a time: a fleet has many nodes, and a server few connections. */
const BUSY_ROLES: readonly NodeRole[] = ['api', 'delivery']

export const connectionsFor = (nodeRoles: readonly NodeRole[]): number => (BUSY_ROLES.some((role) => nodeRoles.includes(role)) ? 16 : 2)

/** Roles that store or read recordings. */
const RECORDING_ROLES: readonly NodeRole[] = ['api', 'fleet', 'media']

type Values = {
  readonly ROLES: readonly NodeRole[]
  readonly DATABASE_URL: string | undefined
  readonly S3_BUCKET: string | undefined
  readonly PUBLIC_URL: string | undefined
}

/** Other processes have the roles that this one lacks, so all of them need the same database, bucket and public URL. */
export function checkRoles({ ROLES, DATABASE_URL, S3_BUCKET, PUBLIC_URL }: Values): void {
  const missing = ALL_ROLES.filter((role) => !ROLES.includes(role))
  if (missing.length === 0) return
  const apart = `ROLES leaves ${missing.join(', ')} to other processes`
  if (!DATABASE_URL) throw new ConfigError(`${apart}, which need the same database. Set DATABASE_URL.`)
  const recording = RECORDING_ROLES.filter((role) => ROLES.includes(role))
  if (!S3_BUCKET && recording.length > 0 && recording.length < RECORDING_ROLES.length)
    throw new ConfigError(`${apart}, which need the same recordings. Set S3_BUCKET.`)
  if (!PUBLIC_URL && !ROLES.includes('api') && (ROLES.includes('fleet') || ROLES.includes('calendar')))
    throw new ConfigError(`${apart}. Set PUBLIC_URL to the URL of the API.`)
}
