// The code of page/, as one script for the meeting's page, with the tables it goes by.
import { pageText } from '../../page-text.ts'
import { CONTROLS, NEVER, PEOPLE, TALK } from './selectors.ts'

const FILES = ['page/find.ts', 'page/look.ts', 'page/hear.ts', 'page/speaking.ts', 'page/start.ts']

/** One classic script, all of it inside a function. `name` is that of the global by which we reach it, `tellName` that of our own ear. */
export function meetScript(name: string, tellName: string): string {
  const table = { controls: CONTROLS, never: NEVER, talk: TALK, people: PEOPLE }
  const given = [name, tellName, table].map((it) => JSON.stringify(it)).join()
  return `(() => {${pageText(import.meta.url, FILES)}\nstartMeet(${given})\n})()`
}
