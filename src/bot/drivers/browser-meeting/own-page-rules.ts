// The operator's own page rules of a platform, instead of the built-in ones.
import type { JsonObject } from '../../../domain/bot.ts'
import { Failure } from '../../../kit/failure.ts'
import type { MeetingClient } from './meeting-client.ts'
import type { MeetingPage } from './meeting-page.ts'
import type { PageRules } from './page-rules.ts'

/** Loaded only when needed: the schema checker takes 5 MB and 0.2 s of CPU. */
const replacing = () => import('./replace-page-rules.ts')

/** The service checked them at its start. A problem here means that two versions run at once. */
export async function pageRulesFor(client: Pick<MeetingClient, 'label' | 'pageRules'>, given: JsonObject | null): Promise<PageRules> {
  if (!given) return client.pageRules
  const { replacePageRules } = await replacing()
  const { pageRules, problems } = replacePageRules(client.pageRules, given)
  if (problems[0]) throw invalid(client, problems[0])
  return pageRules
}

/** The code is a part of the API: page rules were once called tables. */
function invalid({ label }: Pick<MeetingClient, 'label'>, problem: string): Failure {
  return new Failure('tables_invalid', `The page rules of ${label} are invalid: ${problem}`)
}

/** Only a browser can check a selector. Closes the page of a client whose page rules have a wrong one. */
export async function checkSelectors(page: MeetingPage, client: MeetingClient): Promise<void> {
  const { selectorsOf } = await replacing()
  const fails = '(css) => { try { document.querySelector(css); return false } catch { return true } }'
  const wrong = await page.run(`${JSON.stringify(selectorsOf(client.pageRules))}.find(${fails}) ?? null`)
  if (typeof wrong !== 'string') return
  await page.close()
  throw invalid(client, `${wrong} is not a selector`)
}
