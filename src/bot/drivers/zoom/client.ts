// The client view of Zoom's SDK, described for the web client kit.
import type { WebClient } from '../web-client/web-client.ts'
import { GLOBAL } from './report.ts'
import { TABLES } from './tables.ts'

/** Each bot adds its own address and page. */
export const zoom: Omit<WebClient, 'addressOf' | 'published'> = {
  label: 'Zoom',
  home: 'https://zoom.us/',
  // The gallery needs shared memory, so the page is cross-origin isolated and its workers are left as they are.
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
