// Checks of the Zoom app and SDK on this server, without a browser.
import { type Check, type DoorVisit, note, ok, problem } from '../../domain/doctor.ts'
import type { MeetingLink } from '../../domain/meeting-link.ts'
import { type ServerZoom, zoomSignature } from '../accounts/zoom-app.ts'
import { hasZoomSdk, ZOOM_SDK, zoomSdkProblem } from '../zoom-sdk.ts'

export type ZoomSettings = ServerZoom & { readonly sdkFolder: string }

/** No checks if the server has no Zoom app and the link is not a Zoom link. */
export async function checkZoom({ way, app, sdkFolder }: ZoomSettings, meeting: MeetingLink | null): Promise<readonly Check[]> {
  const isWanted = meeting?.platform === 'zoom'
  if (!isWanted && !app) return []
  if (way === 'web') return [ok('zoom', 'Bots use Zoom’s web client, which needs neither an app nor the SDK')]
  return [checkApp(app, isWanted ? meeting.meetingNumber : null), await checkSdk(sdkFolder)]
}

function checkApp(app: ZoomSettings['app'], meetingNumber: string | null): Check {
  if (!app)
    return problem(
      'zoom app',
      'The server has no Zoom app, so only workspaces with their own app can send bots to Zoom',
      'Set ZOOM_SDK_KEY and ZOOM_SDK_SECRET. See docs/zoom.md.',
    )
  if (meetingNumber === null) return ok('zoom app', 'ZOOM_SDK_KEY and ZOOM_SDK_SECRET are set')
  return ok('zoom app', `ZOOM_SDK_KEY can sign for the meeting ${meetingNumber}. Only a join shows whether Zoom accepts it`)
}

async function checkSdk(folder: string): Promise<Check> {
  const wrong = await zoomSdkProblem(folder)
  if (wrong === null) return ok('zoom sdk', `${ZOOM_SDK.name} ${ZOOM_SDK.version} in ${folder}, with all of its files`)
  const report = wrong.kind === 'unchecked' ? note : problem
  return report('zoom sdk', `${folder}: ${wrong.says}`, 'Run `npx emissary zoom install` and restart the service.')
}

/** The Zoom part of a bot's orders. */
export function zoomOrders({ way, app, sdkFolder }: ZoomSettings, meeting: MeetingLink, at: Date): Pick<DoorVisit, 'signIn' | 'sdkFolder'> {
  if (meeting.platform !== 'zoom' || way === 'web' || !app?.secret || meeting.meetingNumber === null)
    return { signIn: null, sdkFolder: null }
  const signature = zoomSignature({ key: app.key, secret: app.secret }, meeting.meetingNumber, at)
  return {
    signIn: { kind: 'zoom_app', sdkKey: app.key, signature, token: null },
    sdkFolder: hasZoomSdk(sdkFolder) ? sdkFolder : null,
  }
}
