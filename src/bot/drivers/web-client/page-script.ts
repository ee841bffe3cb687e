// The code of page/ as one script for the meeting's page, with the platform's tables in it.
import { pageText } from '../../page-text.ts'
import type { WebClient } from './web-client.ts'

const FILES = ['page/find.ts', 'page/look.ts', 'page/listeners.ts', 'page/speaking.ts', 'page/start.ts']

/** `global`: through which the driver calls the observers. `binding`: what they call to report. */
export type PageNames = { readonly global: string; readonly binding: string }

/** One classic script, all of it inside a function. */
export function clientScript(names: PageNames, { profile, tables, listens }: Pick<WebClient, 'profile' | 'tables' | 'listens'>): string {
  const { controls, never, people, talk } = tables
  const given = [names, { controls, never, people, talk: talk.join() }, { ...listens, ignoredSources: profile.ignoredSources }]
    .map((it) => JSON.stringify(it))
    .join()
  return `(() => {${pageText(import.meta.url, FILES)}\nstartClient(${given})\n})()`
}
