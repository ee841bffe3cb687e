// Conferencing products that a link identifies but no bot can join.
import { hostOf, isUnder } from '../meeting-link/reader.ts'

type Product = { readonly name: string; readonly domains: readonly string[]; readonly path: RegExp }

// biome-ignore format: a table reads best with one row a line
const PRODUCTS: readonly Product[] = [
  { name: 'Webex',         domains: ['webex.com'],                                 path: /^\/(meet|join|m|wbxmjs|webappng|[\w-]+\/j\.php|[\w-]+)\b/ },
  { name: 'GoToMeeting',   domains: ['gotomeeting.com', 'gotomeet.me', 'goto.com', 'meet.goto.com'], path: /^\/(join\/)?[\w-]{3,}/ },
  { name: 'Whereby',       domains: ['whereby.com', 'appear.in'],                  path: /^\/[\w@-]{2,}/ },
  { name: 'BlueJeans',     domains: ['bluejeans.com'],                             path: /^\/(\d{3,}|webrtc|a2m|meet)/ },
  { name: 'Jitsi',         domains: ['meet.jit.si', '8x8.vc', 'jit.si'],           path: /^\/[^/]{2,}/ },
  { name: 'Chime',         domains: ['chime.aws'],                                 path: /^\/[\w-]{3,}/ },
  { name: 'RingCentral',   domains: ['v.ringcentral.com', 'meetings.ringcentral.com', 'video.ringcentral.com'], path: /^\/(join|j|conf)\b/ },
  { name: 'Skype',         domains: ['join.skype.com', 'meet.lync.com'],           path: /^\/[\w-]{3,}/ },
  { name: 'Slack',         domains: ['app.slack.com'],                             path: /^\/huddle\// },
  { name: 'Discord',       domains: ['discord.gg', 'discord.com'],                 path: /^\/(invite\/|channels\/|\w{4,}$)/ },
  { name: 'Dialpad',       domains: ['meetings.dialpad.com', 'uberconference.com'], path: /^\/[\w-]{3,}/ },
  { name: 'Lifesize',      domains: ['call.lifesizecloud.com', 'lifesize.com'],    path: /^\/\d{4,}/ },
  { name: 'StarLeaf',      domains: ['meet.starleaf.com'],                         path: /^\/\d{4,}/ },
  { name: 'Vonage',        domains: ['meetings.vonage.com'],                       path: /^\/[\w?=-]*/ },
  { name: 'Zoho',          domains: ['meeting.zoho.com', 'meeting.zoho.eu', 'meeting.zoho.in'], path: /^\/(meeting|join|[\w-]+\/join)/ },
  { name: 'Livestorm',     domains: ['app.livestorm.co'],                          path: /^\/.{3,}/ },
  { name: 'Daily',         domains: ['daily.co'],                                  path: /^\/[\w-]{2,}/ },
  { name: 'Gather',        domains: ['app.gather.town', 'gather.town'],            path: /^\/(app|invite)\b/ },
  { name: 'FaceTime',      domains: ['facetime.apple.com'],                        path: /^\/join/ },
  { name: 'Doxy',          domains: ['doxy.me'],                                   path: /^\/[\w-]{2,}/ },
]

/** Pages of those hosts that are no meeting. */
const SITE_PAGES =
  /^\/(pricing|about|blog|support|help|login|signin|sign-in|signup|download|downloads|contact|legal|privacy|terms|product|products|features|user|information)\b/i
const SITE_HOSTS = /^(www|help|support|blog|status|developer|developers|community|docs)\./

/** The product behind a link, or null. */
export function otherProductOf(link: string): string | null {
  const url = URL.parse(link)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '') return null
  const host = hostOf(url)
  if (SITE_PAGES.test(url.pathname)) return null
  const product = PRODUCTS.find(({ domains, path }) => domains.some((domain) => isUnder(host, domain)) && path.test(url.pathname))
  return product && !(SITE_HOSTS.test(host) && !url.pathname.slice(1).match(/\d/)) ? product.name : null
}
