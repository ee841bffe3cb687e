// The Zoom app that bots join by: the workspace's own before the server's, and a signature of it for one meeting.
import { createHmac } from 'node:crypto'
import type { WorkspaceId } from '../../domain/bot.ts'
import { invalid } from '../../domain/errors.ts'
import { zoomAppOf } from '../db/accounts.ts'
import type { Db } from '../db/database.ts'
import type { Vault } from './secrets.ts'

/** `secret` is null where it was sealed under another SECRET_KEY. */
type ZoomApp = { readonly key: string; readonly secret: string | null }

/** What the server itself has for Zoom. `web`: bots use Zoom's web client as people do, and need no app. */
export type ServerZoom = { readonly way: 'sdk' | 'web'; readonly app: ZoomApp | null }

export const NO_ZOOM_APP =
  'there are no Zoom credentials: set zoom_sdk_key and zoom_sdk_secret of the workspace (PATCH /api/v1/settings), or ZOOM_SDK_KEY and ZOOM_SDK_SECRET of the server'

/** Throws a 400 where neither the workspace nor the server has an app. */
export async function checkZoomApp(db: Db, { way, app }: ServerZoom, workspace: WorkspaceId): Promise<void> {
  if (way === 'web' || app || (await zoomAppOf(db, workspace))) return
  throw invalid(`meeting_link is a Zoom meeting, and ${NO_ZOOM_APP}.`)
}

export async function zoomAppFor(
  { db, vault }: { readonly db: Db; readonly vault: Vault },
  { app }: ServerZoom,
  workspace: WorkspaceId,
): Promise<ZoomApp | null> {
  const own = await zoomAppOf(db, workspace)
  return own ? { key: own.key, secret: opened(vault, workspace, own.secret) } : app
}

function opened(vault: Vault, owner: WorkspaceId, sealed: Buffer): string | null {
  try {
    return vault.open(owner, sealed)
  } catch {
    return null
  }
}

/** Longer than the longest stay of a bot. Zoom takes 1,800 to 172,800 s. */
const LIFETIME_SECONDS = 6 * 60 * 60
/** Zoom refuses a signature from the future, and clocks differ. */
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
