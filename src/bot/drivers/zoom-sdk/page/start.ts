/// <reference lib="dom" />
// The page of a Zoom meeting: joins with the SDK and reports the state of the meeting.
import { onNewConnection } from '../../../worker/page/connections.ts'
import { hide } from '../../../worker/page/hidden.ts'
import { shareDecoded } from '../../browser-meeting/page/decoded.ts'
import { reporter } from '../../browser-meeting/page/hidden-binding.ts'
import type { PageOrders, ZoomReport, ZoomTrack } from '../report.ts'
import { followStore } from './captions.ts'
import { followMeeting } from './meeting.ts'
import { numberAt, textAt, type ZoomMtg } from './sdk.ts'

/** Some failures reach the console only. */
const JOIN_ERROR = /^join error code:?\s*(\d+)/i
const UNKNOWN_FAILURE = 1
/** The console may have the code of a failure without one, a moment later. */
const CONSOLE_WITHIN_MS = 1_000

/** Runs before the SDK's own scripts. */
export function startZoom(orders: PageOrders): void {
  const publish: (report: ZoomReport) => void = reporter(orders.names.reports)
  const refuse = refuseOnce(async (code, says) => {
    const nextMs = await nextTryMs(`${orders.nextTry}${code}`)
    publish({ kind: 'refused', code, says, ...(nextMs !== null && { isRetried: true }) })
    if (nextMs !== null) setTimeout(() => location.reload(), nextMs)
  })
  followConsole(refuse)
  followTracks((tracks) => publish({ kind: 'tracks', tracks }))
  shareDecoded((text) => publish({ kind: 'media_failed', text }))
  publish({ kind: 'place', place: 'joining' })
  window.addEventListener('load', () => join(orders, publish, refuse))
  // Called after the Redux library and before the SDK.
  hide(orders.names.store, () => followStore(publish))
}

/** Returns null where the refusal is final. It is, too, where the answer cannot be read: the bot would wait for a report until its timeout. */
export async function nextTryMs(url: string): Promise<number | null> {
  try {
    const answer = await fetch(url)
    return answer.ok ? ((await answer.json()) as number | null) : null
  } catch {
    return null
  }
}

type Refuse = (code: number, says: string) => void

/** The first failure is the cause of the others, unless it has no reason. */
function refuseOnce(refuse: Refuse): Refuse {
  let isRefused = false
  const decide: Refuse = (code, says) => {
    if (!isRefused) refuse(code, says)
    isRefused = true
  }
  return (code, says) => {
    if (code === UNKNOWN_FAILURE) setTimeout(() => decide(code, says), CONSOLE_WITHIN_MS)
    else decide(code, says)
  }
}

function join(orders: PageOrders, publish: (report: ZoomReport) => void, refuse: Refuse): void {
  const sdk = Reflect.get(window, 'ZoomMtg') as ZoomMtg | undefined
  if (!sdk) {
    refuse(UNKNOWN_FAILURE, 'The Meeting SDK could not be loaded')
    return
  }
  const error = (answer: unknown) => refuse(numberAt(answer, 'errorCode') ?? UNKNOWN_FAILURE, textAt(answer, 'errorMessage'))
  sdk.setZoomJSLib(orders.library, '/av')
  sdk.preLoadWasm()
  sdk.prepareWebSDK()
  sdk.i18n.load('en-US')
  hide(orders.names.calls, followMeeting(sdk, publish, refuse))
  sdk.init({
    leaveUrl: orders.leaveUrl,
    patchJsMedia: false,
    leaveOnPageUnload: true,
    disablePreview: true,
    enableWaitingRoomPreview: false,
    defaultView: 'gallery',
    isSupportAV: true,
    isSupportCC: true,
    isSupportChat: true,
    disableInvite: true,
    disableCallOut: true,
    disablePictureInPicture: true,
    disableReport: true,
    screenShare: false,
    success: () => sdk.join({ ...orders.join, success: () => undefined, error }),
    error,
  })
}

function followConsole(onError: (code: number, line: string) => void): void {
  for (const level of ['log', 'info', 'warn', 'error'] as const) {
    const native = console[level]
    console[level] = (...given: unknown[]) => {
      const line = given.map(String).join(' ')
      const [, code] = JOIN_ERROR.exec(line) ?? []
      if (code !== undefined) onError(Number(code), line)
      native.apply(console, given)
    }
  }
}

/** Publishes each received track with its stream id, in which Zoom encodes the owner. Runs before the SDK, which may keep the constructor. */
function followTracks(publish: (tracks: readonly ZoomTrack[]) => void): void {
  const tracks = new Map<string, ZoomTrack>()
  onNewConnection((connection) =>
    connection.addEventListener('track', ({ track, streams }) => {
      const kind = track.kind === 'video' ? 'video' : 'audio'
      tracks.set(track.id, { id: track.id, streamId: streams[0]?.id ?? '', kind })
      track.addEventListener('ended', () => tracks.delete(track.id) && publish([...tracks.values()]))
      publish([...tracks.values()])
    }),
  )
}
