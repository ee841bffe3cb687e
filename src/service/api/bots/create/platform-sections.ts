// Reads the per-platform sections of create_bot. A section is ignored for other platforms, except Zoom's token URLs, which are rejected.
import type { BotSpec, JsonObject, SignIn } from '../../../../domain/bot.ts'
import { invalid } from '../../../../domain/errors.ts'
import type { MeetingLink } from '../../../../domain/meeting-link.ts'
import type { UrlRules } from '../../http/url-rules.ts'
import type { CreateBotBody } from './schema.ts'

const RETIRED = ['use_platforma_obf', 'platforma_oauth_connection_user_id']

export function readZoomToken(body: CreateBotBody, meeting: MeetingLink, urls: UrlRules): BotSpec['zoomToken'] {
  refuseRetired(body as JsonObject)
  refuseRetired((body.platforma ?? {}) as JsonObject)
  const { zak_url: zak, obf_url: obf } = body.platforma ?? {}
  if (zak && obf) throw invalid('platforma must have only one of zak_url and obf_url.')
  const [kind, url] = zak ? (['zak', zak] as const) : (['obf', obf] as const)
  if (!url) return null
  if (meeting.platform !== 'zoom') throw invalid(`platforma.${kind}_url is only for Zoom meetings.`)
  urls.file(`platforma.${kind}_url`, url)
  if (kind === 'obf' && url.replaceAll(/%5f/gi, '_').toLowerCase().includes('meeting_number')) {
    throw invalid('platforma.obf_url must not contain meeting_number: it is added at join time.')
  }
  return { kind, url }
}

function refuseRetired(section: JsonObject): void {
  const retired = RETIRED.find((name) => Object.hasOwn(section, name) && section[name] !== null)
  if (retired) throw invalid(`${retired} is no longer accepted. Pass platforma.zak_url or platforma.obf_url.`)
}

export function readSignIn(body: CreateBotBody, meeting: MeetingLink): SignIn | null {
  if (meeting.platform === 'google_meet') return readGoogle(body.platformb ?? {})
  if (meeting.platform === 'teams') return readTeams(body.platformc ?? {}, meeting.variant === 'personal')
  return null
}

function readGoogle(given: NonNullable<CreateBotBody['platformb']>): SignIn | null {
  const domain = given.platformb_login_domain?.trim().toLowerCase()
  if (!domain && given.sign_in_email) throw invalid('platformb.platformb_login_domain is required with sign_in_email.')
  if (!domain) return null
  return { platform: 'google_meet', domain, email: given.sign_in_email || null, strict: given.strict_email ?? false, required: null }
}

function readTeams(given: NonNullable<CreateBotBody['platformc']>, personal: boolean): SignIn | null {
  const domain = given.platformc_login_domain?.trim().toLowerCase()
  if (personal && given.login_required) throw invalid('platformc.login_required is not allowed for personal Teams links.')
  if (!domain && (given.login_required || given.sign_in_email)) {
    throw invalid('platformc.platformc_login_domain is required with login_required or sign_in_email.')
  }
  // Personal meetings do not admit accounts of an organisation, so the bot joins as a guest.
  if (!domain || personal) return null
  return {
    platform: 'teams',
    domain,
    email: given.sign_in_email || null,
    strict: given.strict_email ?? false,
    required: given.login_required ?? null,
  }
}
