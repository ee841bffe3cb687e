/// <reference lib="dom" />
// The page of a Zoom meeting: joins with the SDK and reports the state of the meeting.

import { shareDecoded } from '../../web-client/page/decoded.ts'
import type { PageOrders, ZoomReport } from '../report.ts'
import { followStore } from './captions.ts'
import { followTracks } from './media.ts'
import { followMeeting } from './meeting.ts'
import { numberAt, textAt, type ZoomMtg } from './sdk.ts'

/** Some failures reach the console only. */
const JOIN_ERROR = /^join error code:?\s*(\d+)/i
const UNKNOWN_FAILURE = 1

/** Runs before the SDK's own scripts. */
export function startZoom(orders: PageOrders): void {
  const publish = (report: ZoomReport): void => {
    const binding: unknown = Reflect.get(window, orders.names.report)
    // The driver may have gone already.
    if (typeof binding === 'function') Promise.resolve(binding(report)).catch(() => undefined)
  }
  let isRefused = false
  const refuse = (code: number, says: string): void => {
    // The first failure is the cause of the others.
    if (isRefused) return
    isRefused = true
    publish({ kind: 'refused', code, says })
    if (code === orders.retry.code) setTimeout(() => location.reload(), orders.retry.afterMs)
  }
  followConsole((code, line) => refuse(code, line))
  followTracks((tracks) => publish({ kind: 'tracks', tracks }))
  shareDecoded((text) => publish({ kind: 'media_failed', text }))
  publish({ kind: 'place', place: 'joining' })
  window.addEventListener('load', () => join(orders, publish, refuse))
  // Called after the Redux library and before the SDK.
  Object.defineProperty(window, `${orders.names.global}Store`, { value: () => followStore(publish) })
}

function join(orders: PageOrders, publish: (report: ZoomReport) => void, refuse: (code: number, says: string) => void): void {
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
  const calls = followMeeting(sdk, publish, refuse)
  Object.defineProperty(window, orders.names.global, { value: Object.freeze(calls) })
  sdk.init({
    ...{ leaveUrl: orders.leaveUrl, patchJsMedia: false, leaveOnPageUnload: true, disablePreview: true, enableWaitingRoomPreview: false },
    ...{ defaultView: 'gallery', isSupportAV: true, isSupportCC: true, isSupportChat: true, disableInvite: true, disableCallOut: true },
    ...{ disablePictureInPicture: true, disableReport: true, screenShare: false },
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
