// The client view of Zoom's SDK: its page rules and its functions.
import { hiddenObject } from '../../worker/page-bundle.ts'
import type { MeetingClient } from '../browser-meeting/meeting-client.ts'
import { PAGE_RULES } from './page-rules.ts'
import { CALLS } from './report.ts'

/** Each bot adds its own address, and the state that its page publishes. */
export const zoomSdk: Omit<MeetingClient, 'addressOf' | 'published'> = {
  label: 'Zoom',
  home: 'https://zoom.us/',
  // The gallery needs shared memory, so the page is cross-origin isolated and its workers are left as they are.
  profile: { browser: 'headless', encoded: true, wrapWorkers: false, ignoredSources: [] },
  pageRules: PAGE_RULES,
  longestName: 64,
  longestChatLine: 1_024,
  functions: {
    write: (line) => `${hiddenObject(CALLS)}.write(${JSON.stringify(line)})`,
    leave: `${hiddenObject(CALLS)}.leave()`,
  },
}
