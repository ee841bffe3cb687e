// Bundles page/ into one script for the meeting's page, with the platform's page rules in it.
import { pageCall } from '../../worker/page-bundle.ts'
import type { MeetingClient } from './meeting-client.ts'
import type { LookRules } from './page/look.ts'
import type { PageNames } from './page/start.ts'

/** A classic script. */
export function clientScript(
  names: PageNames,
  { profile, pageRules, traffic }: Pick<MeetingClient, 'profile' | 'pageRules' | 'traffic'>,
): string {
  const { controls, never, people, talk, frame, rooms } = pageRules
  const rules: LookRules = { controls, never, people, talk, ...(frame && { frame }), ...(rooms && { rooms }) }
  const listened = traffic ? { ...traffic.listensTo, ignoredSources: profile.ignoredSources } : null
  return pageCall(import.meta.url, 'page/start.ts', 'startClient', names, rules, listened)
}
