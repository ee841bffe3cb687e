// The Zoom app for a bot, the workspace's own or else the server's, and its signature for one meeting.
import { createHmac } from 'node:crypto'
import type { BotSpec, WorkspaceId } from '../../domain/bot.ts'
import { invalid } from '../../domain/errors.ts'
import type { ZoomWay } from '../../domain/platforms.ts'
import { zoomAppOf } from '../db/accounts/accounts.ts'
import type { Db } from '../db/database.ts'
import { openOrNull, type Vault } from './secrets.ts'

/** `secret` is null if it was sealed with another SECRET_KEY. */
type ZoomApp = { readonly key: string; readonly secret: string | null }

/** The server's Zoom settings. `web`: bots use Zoom's web client, which needs no app. */
export type ServerZoom = {
  readonly way: ZoomWay
  readonly app: ZoomApp | null
  /** Why this server cannot join Zoom meetings, as a sentence without its full stop; null if it can, or has no bots itself. */
  readonly obstacle: string | null
}

export const NO_ZOOM_APP =
  'there are no Zoom credentials: set zoom_sdk_key and zoom_sdk_secret of the workspace (PATCH /api/v1/settings), or ZOOM_SDK_KEY and ZOOM_SDK_SECRET of the server'

/** The web client takes no token, and a bot that was to join as a user never joins as a guest instead. */
export const NO_TOKENS_ON_THE_WEB =
  'zak_url and obf_url need Zoom’s SDK, and this server joins Zoom by its web client: omit them, or set ZOOM_WAY of the server to sdk'

/** Attendees of a webinar are admitted by an e-mail address or a registration, and its host promotes them. */
const NO_WEBINARS_ON_THE_WEB =
  'meeting_link is a Zoom webinar, which needs Zoom’s SDK, and this server joins Zoom by its web client: set ZOOM_WAY of the server to sdk'

type Asking = { readonly workspaceId: WorkspaceId; readonly spec: Pick<BotSpec, 'meeting' | 'zoomToken'> }

/** Throws a 400 if no app is configured or no SDK installed, or if the web client would have to join with a token. */
export async function checkZoomAccess(db: Db, { way, app, obstacle }: ServerZoom, { workspaceId, spec }: Asking): Promise<void> {
  if (way === 'web' && spec.zoomToken) throw invalid(`platforma.${NO_TOKENS_ON_THE_WEB}.`)
  if (way === 'web' && spec.meeting.platform === 'zoom' && spec.meeting.isWebinar) throw invalid(`${NO_WEBINARS_ON_THE_WEB}.`)
  if (way === 'web') return
  if (!app && !(await zoomAppOf(db, workspaceId))) throw invalid(`meeting_link is a Zoom meeting, and ${NO_ZOOM_APP}.`)
  // A link that no bot can join is accepted, and its bot ends with that reason.
  if (obstacle && spec.meeting.joinable) throw invalid(`meeting_link is a Zoom meeting, and this server cannot join it: ${obstacle}.`)
}

export async function zoomAppFor(
  { db, vault }: { readonly db: Db; readonly vault: Vault },
  { app }: ServerZoom,
  workspace: WorkspaceId,
): Promise<ZoomApp | null> {
  const own = await zoomAppOf(db, workspace)
  return own ? { key: own.key, secret: openOrNull(vault, workspace, own.secret) } : app
}

/** Longer than the longest stay of a bot. Zoom accepts 1,800 to 172,800 s. */
const LIFETIME_SECONDS = 6 * 60 * 60
/** Tolerates clock skew: Zoom rejects a signature from the future. */
const BACKDATED_SECONDS = 30
const ATTENDEE = 0

/** A JWT that lets the SDK join this meeting as an attendee, with media by WebRTC. */
export function zoomSignature({ key, secret }: { readonly key: string; readonly secret: string }, meetingNumber: string, at: Date): string {
  const iat = Math.floor(at.getTime() / 1000) - BACKDATED_SECONDS
  const exp = iat + LIFETIME_SECONDS
  const claims = { appKey: key, sdkKey: key, mn: meetingNumber, role: ATTENDEE, iat, exp, tokenExp: exp, video_webrtc_mode: 1 }
  const body = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`
}
