// Zoom's client view, as the kit sees it.
import type { WebClient } from '../web-client/web-client.ts'
import { GLOBAL } from './report.ts'
import { TABLES } from './tables.ts'

/** Without its address and its page, which are each bot's own. */
export const zoom: Omit<WebClient, 'addressOf' | 'published'> = {
  label: 'Zoom',
  home: 'https://zoom.us/',
  // Its gallery needs shared memory, and a worker's script is loaded under the page's own policy.
  profile: { browser: 'headless', encoded: true, wrapWorkers: false, ignoredSources: [] },
  tables: TABLES,
  longestName: 64,
  longestChatLine: 1_024,
  joinRequest: null,
  listens: null,
  createReaders: () => ({}),
  signIns: {},
  asksToRecord: true,
  calls: {
    write: (line) => `window.${GLOBAL}.write(${JSON.stringify(line)})`,
    leave: `window.${GLOBAL}.leave()`,
  },
}
