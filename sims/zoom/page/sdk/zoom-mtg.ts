/// <reference lib="dom" />
// A double of `ZoomMtg`: the functions of the client view with their options, callbacks and limits, over the simulated servers.
import { sdkUser } from './attendees.ts'
import { listen, makeRoots } from './events.ts'
import { i18n, setLibrary } from './i18n.ts'
import { currentSession, init, join } from './join.ts'
import { isLimited } from './limits.ts'
import { mediaCapture, mediaCapturePermission } from './recording.ts'
import { type Callbacks, fail, succeed } from './results.ts'
import type { Session } from './session.ts'

const VERSION = '6.2.0'
const LONGEST_MESSAGE = 1_024

type Act<Args> = (session: Session, args: Callbacks & Args) => void

/** Functions that fail outside a meeting. */
function inMeeting<Args>(method: string, act: Act<Args>): (args: Callbacks & Args) => void {
  return (args) => {
    if (isLimited(method)) return
    const session = currentSession()
    if (!session || session.isOnHold) return fail(args, method, 'You are not in meeting')
    act(session, args)
  }
}

const attendees: Act<unknown> = ({ client }, args) => {
  const all = [...client.attendees.values()].toSorted((one) => (one.id === client.userId ? -1 : 0))
  succeed(args, 'getAttendeeslist', { attendeesList: all.map((it) => sdkUser(it, client.userId)) })
}

const currentUser: Act<unknown> = ({ client }, args) => {
  const own = client.attendees.get(client.userId)
  if (own) succeed(args, 'getCurrentUser', { currentUser: { ...sdkUser(own, own.id), isOriginhost: false, isAlternativeHost: false } })
  else fail(args, 'getCurrentUser', 'There is no current user')
}

const sendChat: Act<{ readonly message: string; readonly userId?: number }> = ({ client }, args) => {
  const { message, userId = 0 } = args
  if (!message) return fail(args, 'sendChat', 'message is empty')
  if (userId !== 0 && !client.attendees.has(userId)) return fail(args, 'sendChat', "Can't find receive user")
  client.send({ cmd: 'chat', text: message.slice(0, LONGEST_MESSAGE), receiverId: userId })
  succeed(args, 'sendChat')
}

/** Only a host can mute other participants, and the page is none. */
const mute: Act<{ readonly userId: number; readonly mute: boolean }> = ({ client }, args) => {
  if (args.userId === client.userId) void client.devices.turn('microphone', !args.mute)
  succeed(args, 'mute')
}

const rename: Act<{ readonly userId: number; readonly newName: string }> = ({ client }, args) => {
  if (args.userId !== client.userId) return
  client.send({ cmd: 'rename', name: args.newName })
  succeed(args, 'rename')
}

const hostsOnly =
  (method: string): Act<unknown> =>
  (_, args) =>
    fail(args, method, 'You are not the meeting host.', 3003)

function leaveMeeting(args: Callbacks): void {
  const session = currentSession()
  if (!session) return void fail(args, 'leaveMeeting', 'You are not in meeting')
  session.leave()
  succeed(args, 'leaveMeeting')
}

const ZoomMtg = {
  i18n,
  init,
  join,
  leaveMeeting,
  setZoomJSLib: setLibrary,
  preLoadWasm: () => undefined,
  prepareWebSDK: makeRoots,
  setLogLevel: () => undefined,
  inMeetingServiceListener: listen,
  getAttendeeslist: inMeeting('getAttendeeslist', attendees),
  getCurrentUser: inMeeting('getCurrentUser', currentUser),
  getCurrentMeetingInfo: inMeeting('getCurrentMeetingInfo', ({ client: { info, userId } }, args) => {
    succeed(args, 'getCurrentMeetingInfo', { meetingNumber: info.meetingNumber, meetingTopic: info.topic, userId })
  }),
  getWebSDKVersion: (args: Callbacks) => succeed(args, 'getWebSDKVersion', [VERSION]),
  isBotUser: inMeeting('isBotUser', ({ client }, args) => {
    succeed(args, 'isBotUser', { isBotUser: client.attendees.get(client.userId)?.bBotUser ?? false })
  }),
  sendChat: inMeeting('sendChat', sendChat),
  mute: inMeeting('mute', mute),
  muteAll: inMeeting('muteAll', hostsOnly('muteAll')),
  endMeeting: inMeeting('endMeeting', hostsOnly('endMeeting')),
  expel: inMeeting('expel', hostsOnly('expel')),
  record: inMeeting('record', hostsOnly('record')),
  rename: inMeeting('rename', rename),
  mediaCapture: inMeeting('mediaCapture', mediaCapture),
  mediaCapturePermission: inMeeting('mediaCapturePermission', mediaCapturePermission),
  startScreenShare: inMeeting('startScreenShare', (_, args) => {
    fail(args, 'startScreenShare', 'Unable to share your screen due to the technical limitation')
  }),
  stopIncomingAudio: inMeeting<{ readonly stop: boolean }>('stopIncomingAudio', (_, args) => {
    for (const audio of document.querySelectorAll('audio')) audio.muted = args.stop
    succeed(args, 'stopIncomingAudio')
  }),
}

Object.assign(window, { ZoomMtg })
if (document.body) makeRoots()
else document.addEventListener('DOMContentLoaded', makeRoots)
