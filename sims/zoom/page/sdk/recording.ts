/// <reference lib="dom" />
// Local recording through the SDK.
import type { CaptureStatus } from '../../site/wire.ts'
import { type Callbacks, fail, succeed } from './results.ts'
import type { Session } from './session.ts'

const STATUSES: Readonly<Record<string, CaptureStatus>> = { stop: 0, start: 1, pause: 2 }

export function mediaCapture(session: Session, args: Callbacks & { readonly record: string }): void {
  session.assertReady()
  const { client, view } = session
  const status = STATUSES[args.record]
  if (status === undefined) return void fail(args, 'mediaCapture', 'params need to be start | stop| pause')
  if (client.info.options.recording === 'off' || client.isAttendee) return void fail(args, 'mediaCapture', 'not enable local record')
  if (!client.mayRecord) {
    const { words } = view
    const isRefused = client.info.options.requests === 'deny_all'
    const ask = { control: 'send-request', text: words.sendRequest, press: () => request(session, {}) }
    const close = { control: 'close-permission', text: isRefused ? words.gotIt : words.cancel }
    view.dialog(words.needPermission, isRefused ? words.askHost : '', isRefused ? [close] : [ask, close])
    return void fail(args, 'mediaCapture', 'no local record permission')
  }
  client.send({ cmd: 'capture', status })
  succeed(args, 'mediaCapture')
}

export function mediaCapturePermission(session: Session, args: Callbacks & { readonly operate: string }): void {
  session.assertReady()
  if (args.operate !== 'request') return void fail(args, 'mediaCapturePermission', 'operate params error')
  request(session, args)
}

/** Sends nothing without a host, or if the host denies all requests. */
function request({ client }: Session, args: Callbacks): void {
  const method = 'mediaCapturePermission'
  const { recording, requests } = client.info.options
  if (recording === 'off' || client.isAttendee) return void fail(args, method, 'not enable local record')
  if (client.mayRecord) return void fail(args, method, 'you already have local record permission')
  if (![...client.attendees.values()].some(({ bHost }) => bHost)) return void fail(args, method, 'not support grant local record permissin')
  if (requests === 'deny_all') return void fail(args, method, 'host deny all request')
  client.send({ cmd: 'request_permission' })
  succeed(args, method)
}
