// Bots on a platform without a driver: dispatch claims and ends them at once, so the API and deliveries are measured without browsers.
import type pg from 'pg'
import { none } from './report.ts'

/** Workers start when a bot is placed. None waits with an open browser. */
export const WITHOUT_BROWSERS = { WARM_WORKERS: '0' }

const TOKEN_LENGTH = 22

/** A different meeting for every number. */
export function linkWithoutDriver(number: number): string {
  return `https://call.whatsapp.com/video/${number.toString(36).padStart(TOKEN_LENGTH, '0')}`
}

/** Fails the bench if the platform has got a driver, because browsers would be measured. */
export async function noneDriven(db: pg.Pool) {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from bots where not status in ('Scheduled', 'Joining', 'Done') and error_reason is distinct from 'PlatformUnavailable'`,
  )
  return none('bots that a driver took up', rows[0]?.count ?? 0)
}
