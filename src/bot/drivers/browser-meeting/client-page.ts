// Opens the page of a platform's client with all code of the bot in it.
import type { OpenBrowser } from '../driver.ts'
import type { JoinWitness } from './join-witness.ts'
import type { MeetingClient } from './meeting-client.ts'
import { MeetingPage } from './meeting-page.ts'
import { clientScript } from './page-script.ts'
import { type Receive, receiveReports, secretName } from './reports.ts'

export type PagedClient = Pick<MeetingClient, 'profile' | 'pageRules' | 'traffic' | 'published'>

type PageTools = {
  readonly browser: OpenBrowser
  /** Origins of the meeting. */
  readonly origins: readonly string[]
  /** The recording, and the bot's microphone and camera. */
  readonly scripts: readonly string[]
  readonly receive: Receive
  readonly witness?: JoinWitness
}

/** `observers`: the hidden object of the page-side observers. */
type ClientPage = { readonly page: MeetingPage; readonly observers: string }

export async function openClientPage(client: PagedClient, { browser, origins, scripts, receive, witness }: PageTools): Promise<ClientPage> {
  const names = { observers: secretName(), reports: secretName() }
  const page = await MeetingPage.open(browser, {
    viewport: client.profile.viewport ?? null,
    origins,
    scripts: [scripts, witness?.script ?? [], clientScript(names, client), client.published?.scripts(names.reports) ?? []].flat(),
    furnish: (context) => {
      witness?.furnish(context)
      return receiveReports(context, { [names.reports]: receive, ...witness?.receivers })
    },
  })
  return { page, observers: names.observers }
}
