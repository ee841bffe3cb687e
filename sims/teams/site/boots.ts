// The data for a page that loads: the meeting of its address, the texts of its language, and the first screen.
import { signInUrl } from '../../microsoft-accounts/accounts.ts'
import { sectionsOf } from '../call/sections.ts'
import { findLink, joinPath, lightPath, shortPath } from './links.ts'
import type { MeetingServer } from './meeting.ts'
import { type Scenario, SIGN_IN_WALLS, scenarioOf } from './scenario.ts'
import { languageOf, TEXTS, withApostrophes } from './texts.ts'
import type { Boot, LauncherBoot } from './wire.ts'

export type Load = {
  readonly href: string
  readonly acceptLanguage: string | undefined
  readonly accountName: string | null
  readonly meeting: MeetingServer | null
}

const TROUTER = 'wss://go.trouter.teams.microsoft.com/v4/c'
const SNAPSHOT = 'https://api.flightproxy.teams.microsoft.com/api/v2/ep/conv-usea-01.conv.skype.com/conv'

export function launcherBoot({ href, acceptLanguage, meeting }: Load): LauncherBoot {
  const scenario = meeting?.scenario ?? scenarioOf({})
  const path = innerPath(href, meeting)
  const webUrl = meeting && scenario.experience !== 'full' ? lightPath(meeting.identity) : `/v2/?meetingjoin=true#${path}&anon=true`
  return {
    texts: textsOf(scenario, acceptLanguage).texts,
    onWeb: scenario.onWeb,
    webUrl,
    appUrl: `msteams:${path}`,
    isSkipped: scenario.launcher === 'skipped',
  }
}

/** Counts as a load of the meeting. */
export function bootOf(load: Load): Boot {
  const { acceptLanguage, accountName, meeting, href } = load
  const { call, ...scenario } = meeting?.scenario ?? scenarioOf({})
  if (meeting) meeting.loads++
  const conversationId = meeting?.identity.conversationId ?? ''
  const query = `conversation=${encodeURIComponent(conversationId)}`
  return {
    ...textsOf(scenario, acceptLanguage),
    scenario,
    conversationId,
    accountName,
    callId: meeting?.callId ?? '',
    opensWith: opening(load),
    sections: sectionsOf({ videoSlots: call.videoSlots ?? 4, redundantAudio: call.redundantAudio ?? false }).map(({ role }) => role),
    trouterUrl: `${TROUTER}?${query}`,
    snapshotUrl: `${SNAPSHOT}/${encodeURIComponent(conversationId)}?i=10-128-0-1`,
    fullUrl: `/v2/?meetingjoin=true&lightExperience=false#${innerPath(href, meeting)}&anon=true`,
    lightUrl: meeting && scenario.experience !== 'full' ? lightPath(meeting.identity) : null,
    signInUrl: signInUrl(meeting?.url ?? href),
  }
}

function opening({ href, accountName, meeting }: Load): Boot['opensWith'] {
  const found = findLink(href)
  if (!found?.isComplete) return 'bad_link'
  if (!meeting) return found.form === 'long' ? 'bad_link' : 'no_match'
  const { landing, passcode } = meeting.scenario
  if (accountName !== null && SIGN_IN_WALLS.has(landing)) return 'prejoin'
  if (found.form === 'short' && passcode !== null && found.passcode !== passcode) return 'passcode'
  return landing === 'sign_in_once' ? (meeting.loads === 1 ? 'sign_in' : 'prejoin') : shown(landing)
}

/** A page whose link hides its meeting in a fragment, which the server cannot see. */
function shown(landing: Exclude<Scenario['landing'], 'sign_in_once'>): Boot['opensWith'] {
  return landing === 'http_404' || landing === 'http_410' || landing === 'http_503' ? 'bad_link' : landing
}

/** The path of the meeting in the address, in the long or short form, also of an unknown meeting. */
function innerPath(href: string, meeting: MeetingServer | null): string {
  const found = findLink(href)
  if (!found) return '/l/meetup-join/'
  if (found.form === 'short') return shortPath({ digits: found.key, passcode: found.passcode })
  return meeting && found.isComplete ? joinPath(meeting.identity) : `/l/meetup-join/${encodeURIComponent(found.key)}/0`
}

function textsOf(
  { language: wanted, apostrophes }: Pick<Boot['scenario'], 'language' | 'apostrophes'>,
  acceptLanguage: string | undefined,
) {
  const language = wanted === 'browser' ? languageOf(acceptLanguage) : wanted
  return { language, texts: withApostrophes(TEXTS[language], apostrophes) }
}
