// Bundles page/ into one script for the meeting's page, with the platform's tables in it.
import { pageCall } from '../../page-bundle.ts'
import type { LookTable } from './page/look.ts'
import type { PageNames } from './page/start.ts'
import type { WebClient } from './web-client.ts'

/** A classic script. */
export function clientScript(names: PageNames, { profile, tables, listens }: Pick<WebClient, 'profile' | 'tables' | 'listens'>): string {
  const { controls, never, people, talk, frame } = tables
  const table: LookTable = { controls, never, people, talk, ...(frame && { frame }) }
  return pageCall(
    import.meta.url,
    'page/start.ts',
    'startClient',
    names,
    table,
    listens && { ...listens, ignoredSources: profile.ignoredSources },
  )
}
