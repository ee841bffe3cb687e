// Turns events of the SDK into reports.
import type { ZoomReport, ZoomUser } from '../report.ts'
import { captionOf } from './captions.ts'
import { Permission } from './permission.ts'
import { at, listAt, numberAt, textAt, type ZoomMtg } from './sdk.ts'

type Publish = (report: ZoomReport) => unknown
type Refuse = (code: number, says: string) => void

/** Levels of `onJoinSpeed`. 13 is the first that never occurs in a waiting room. */
const PLACES: Readonly<Record<number, Extract<ZoomReport, { kind: 'place' }>['place']>> = {
  4: 'waiting_for_host',
  6: 'waiting_room',
  13: 'inside',
}
/** States of `onMeetingStatus`. */
const [CONNECTED, DISCONNECTED, RECONNECTING] = [2, 3, 4]

/** Functions that the driver calls in the page. Each resolves with null or with an error text. */
type Calls = { write(text: string): Promise<string | null>; leave(): Promise<string | null> }

export function followMeeting(sdk: ZoomMtg, publish: Publish, refuse: Refuse): Calls {
  const meeting = new Meeting(sdk, publish, refuse)
  const on: Readonly<Record<string, (data: unknown) => void>> = {
    onJoinSpeed: (data) => meeting.onLevel(numberAt(data, 'level') ?? -1),
    onMeetingStatus: (data) =>
      meeting.onStatus(
        numberAt(data, 'meetingStatus') ?? numberAt(data, 'status') ?? 0,
        numberAt(data, 'errorCode') ?? numberAt(data, 'detail', 'errorCode'),
      ),
    onUserJoin: () => meeting.readUsers(),
    onUserUpdate: () => meeting.readUsers(),
    onUserLeave: (data) => meeting.onLeave(data),
    onUserIsInWaitingRoom: () => meeting.readUsers(),
    onActiveSpeaker: (data) =>
      publish({ kind: 'speakers', users: (Array.isArray(data) ? data : []).flatMap((it) => numberAt(it, 'userId') ?? []) }),
    onReceiveChatMsg: (data) => meeting.onChat(data),
    onReceiveTranscriptionMsg: (data) => {
      const caption = captionOf(data)
      if (caption) publish(caption)
    },
    onMediaCapturePermissionChange: (data) => meeting.permission.onChange(data),
    onMediaCaptureStatusChange: (data) => {
      const userId = numberAt(data, 'userId')
      if (userId === null || userId === meeting.selfId) meeting.permission.onStatus(data)
    },
  }
  const nextLine = paced(BETWEEN_LINES_MS)
  for (const [event, listener] of Object.entries(on)) sdk.inMeetingServiceListener(event, listener)
  return {
    async write(message) {
      await nextLine()
      return asked((callbacks) => sdk.sendChat({ message, userId: EVERYBODY, ...callbacks }))
    },
    leave: () => asked((callbacks) => sdk.leaveMeeting(callbacks)),
  }
}

const EVERYBODY = 0
/** The SDK silently drops a message sent within a second of another. */
const BETWEEN_LINES_MS = 1_100

/** Resolves at most once in `betweenMs`. */
function paced(betweenMs: number): () => Promise<void> {
  let lastMs = Number.NEGATIVE_INFINITY
  return async () => {
    const waitMs = lastMs + betweenMs - performance.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    lastMs = performance.now()
  }
}

class Meeting {
  selfId: number | null = null
  readonly permission: Permission
  readonly #sdk: ZoomMtg
  readonly #publish: Publish
  readonly #refuse: Refuse
  #isInside = false
  #authoriser = ''

  constructor(sdk: ZoomMtg, publish: Publish, refuse: Refuse) {
    this.#sdk = sdk
    this.#publish = publish
    this.#refuse = refuse
    this.permission = new Permission(sdk, (state) => publish({ kind: 'permission', state }))
  }

  onLevel(level: number): void {
    const place = PLACES[level]
    if (!place) return
    this.#publish({ kind: 'place', place })
    if (place !== 'inside' || this.#isInside) return
    this.#isInside = true
    this.readUsers()
    this.permission.begin()
  }

  onStatus(status: number, code: number | null): void {
    if (code && !this.#isInside) this.#refuse(code, '')
    else if (status === DISCONNECTED && this.#isInside) this.#publish({ kind: 'over', reason: null, code })
    if (!this.#isInside) return
    if (status === RECONNECTING) this.#publish({ kind: 'place', place: 'joining' })
    if (status === CONNECTED) {
      this.#publish({ kind: 'place', place: 'inside' })
      this.readUsers()
    }
  }

  /** Reads the whole list, so that a missed event is repaired by the next one. */
  readUsers(): void {
    if (!this.#isInside) return
    this.#sdk.getCurrentUser({
      success: (answer) => {
        this.#authoriser = textAt(answer, 'result', 'currentUser', 'botAuthorizerName')
        this.selfId = numberAt(answer, 'result', 'currentUser', 'userId') ?? this.selfId
        this.#sdk.getAttendeeslist({ success: (list) => this.#onUsers(listAt(list, 'result', 'attendeesList')) })
      },
    })
  }

  onLeave(data: unknown): void {
    const [userId, reason] = [numberAt(data, 'userId'), numberAt(data, 'reasonCode')]
    const isSelf = at(data, 'self') === true || userId === null || userId === this.selfId
    if (reason !== null && isSelf) this.#publish({ kind: 'over', reason, code: numberAt(data, 'errorCode') })
    else this.readUsers()
  }

  onChat(data: unknown): void {
    const text = textAt(data, 'content', 'text')
    if (text === '') return
    const id = textAt(data, 'content', 'messageId')
    this.#publish({ kind: 'chat', id, from: numberAt(data, 'senderId') ?? 0, name: textAt(data, 'sender'), text })
  }

  #onUsers(list: readonly unknown[]): void {
    const users = list.flatMap((it) => userOf(it, this.selfId))
    this.#publish({ kind: 'users', users, authoriser: this.#authoriser })
    if (users.some(({ isHost, isSelf }) => isHost && !isSelf)) this.permission.onHost()
  }
}

/** Users in the waiting room are skipped. */
function userOf(it: unknown, selfId: number | null): readonly ZoomUser[] {
  const id = numberAt(it, 'userId')
  if (id === null || at(it, 'isHold') === true) return []
  const isHost = at(it, 'isHost') === true || at(it, 'isCoHost') === true
  const microphoneOn = at(it, 'muted') === false && textAt(it, 'audio') !== ''
  return [
    {
      id,
      name: textAt(it, 'userName'),
      isHost,
      microphoneOn,
      cameraOn: at(it, 'video') === true,
      isSelf: id === selfId || at(it, 'self') === true,
    },
  ]
}

const ANSWERED_WITHIN_MS = 4_000

function asked(ask: (callbacks: { success: () => void; error: (answer: unknown) => void }) => void): Promise<string | null> {
  return new Promise((resolve) => {
    setTimeout(() => resolve('The meeting did not answer'), ANSWERED_WITHIN_MS)
    ask({ success: () => resolve(null), error: (answer) => resolve(textAt(answer, 'errorMessage') || 'The meeting refused it') })
  })
}
