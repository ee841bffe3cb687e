/// <reference lib="dom" />
// One meeting of the SDK, from the join call to the end: events with their order and timing, screens and dialogs.
import { messageOf } from '../../site/messages.ts'
import type { EndBody, HoldBody, InfoResult } from '../../site/wire.ts'
import type { Words } from '../../site/words.ts'
import { CallView } from '../call-view.ts'
import { Client, type ClientEvents } from '../client.ts'
import { Room } from '../room.ts'
import { moveTo } from '../rooms.ts'
import { endTexts, waitingText } from '../screen-texts.ts'
import { askRecordingConsent } from '../walls.ts'
import { sdkUser } from './attendees.ts'
import { emit, emitJoinSpeed, root } from './events.ts'

/** Delay of the event about the waiting room. */
const WAITING_ROOM_EVENT_MS = 1_500
const REDIRECT_MS = 200
const TOO_EARLY_MS = 1_000

const LEAVE_REASONS = {
  ended: { reason: 'You are leave meeting by endMeeting(api)', reasonCode: 1 },
  ended_free: { reason: 'You are leave meeting by endMeeting(api)', reasonCode: 1 },
  ended_new_meeting: { reason: 'You are leave meeting by endMeeting(api)', reasonCode: 1 },
  removed: { reason: 'You are removed by host/co-host from meeting', reasonCode: 6 },
  removed_waiting: { reason: 'You are removed by host/co-host from waiting room', reasonCode: 7 },
  error: { reason: '', reasonCode: 0 },
} as const

export type SessionOptions = {
  readonly words: Words
  readonly leaveUrl: string
  readonly showsDialogs: boolean
  readonly joinsAudio: boolean
  /** The status events of a failure have its code. */
  readonly reportsStatus: boolean
  readonly onSuccess: () => void
  readonly onError: (code: number, message: string) => void
}

export class Session {
  readonly client: Client
  readonly view: CallView
  readonly #options: SessionOptions
  readonly #room: Room
  #standing: HoldBody['standing'] | null = null
  #isJoined = false
  #enteredAtMs = Number.POSITIVE_INFINITY
  #isInside = false

  constructor(info: InfoResult, options: SessionOptions) {
    this.#options = options
    this.view = new CallView(options.words, root())
    this.view.showJoining()
    this.#room = new Room({
      view: this.view,
      client: () => this.client,
      joinAudio: () => this.#joinAudio(),
      leave: () => this.leave(),
    })
    this.client = new Client(info, this.#events())
  }

  get isOnHold(): boolean {
    return !this.#isInside
  }

  /** The real client crashes on earlier calls. */
  assertReady(): void {
    if (!(performance.now() - this.#enteredAtMs >= TOO_EARLY_MS))
      throw new TypeError("Cannot read properties of undefined (reading 'canRecord')")
  }

  leave(): void {
    const code = this.#isInside ? 2 : this.#standing === 'not_started' ? 4 : 3
    emit('onUserLeave', { reason: 'You are leave meeting by leaveMeeting(api)', reasonCode: code })
    this.client.leave()
    emit('onMeetingStatus', { meetingStatus: 3 })
    this.#goAway()
  }

  #events(): ClientEvents {
    return {
      onJoined: () => this.#onJoined(),
      onHold: (hold) => this.#onHold(hold),
      onEnd: (end) => this.#onEnd(end),
      onRoster: (change, attendee) => this.#onRoster(change, attendee),
      onSpeakers: (userIds) => this.#onSpeakers(userIds),
      onChat: (message) => this.#onChat(message),
      onCaption: (caption) => this.#onCaption(caption),
      onPromotion: () => this.#onPromotion(),
      onRoom: (room) => moveTo(room, this.view, () => this.client.followRoom(room.name)),
      onMoved: (room) => this.#onMoved(room),
      onPermission: (agreed) => this.#onPermission(agreed),
      onCapture: (status, userId) => emit('onMediaCaptureStatusChange', { status, userId }),
      onNetwork: (state) => this.#onNetwork(state),
      onPicture: (note, element) => {
        this.view.putPicture(note, element)
        if (note.kind === 'share') emit('onShareContentChange', { sharingStatus: 'sharing', isFromMainSession: false })
      },
      onPictureGone: (note) => {
        this.view.removePicture(note)
        if (note.kind === 'share') emit('onShareContentChange', { sharingStatus: 'stopped', isFromMainSession: false })
      },
    }
  }

  /** Also called in the waiting room, because the server has answered the join. */
  #onJoined(): void {
    if (this.#isJoined) return
    this.#isJoined = true
    emitJoinSpeed(8)
    emit('onMeetingStatus', { meetingStatus: 2 })
    this.#options.onSuccess()
  }

  #onHold({ standing }: HoldBody): void {
    const before = this.#standing
    if (standing === before) return
    this.#standing = standing
    this.#isInside = standing === 'inside'
    if (before === 'not_started') emitJoinSpeed(5)
    if (standing === 'not_started') emitJoinSpeed(4)
    if (standing === 'waiting' || before === 'waiting') this.#onWaitingRoom(standing === 'waiting')
    if (standing === 'inside') return void this.#enter()
    const { topic, options } = this.client.info
    this.view.clearPeople()
    this.view.showWaiting(topic, waitingText(standing, options.lobby, this.#options.words), () => this.leave())
  }

  #onWaitingRoom(isInWaitingRoom: boolean): void {
    emitJoinSpeed(isInWaitingRoom ? 6 : 7)
    const data = { self: true, isInWaitingRoom, userId: this.client.userId }
    setTimeout(() => emit('onUserIsInWaitingRoom', data), WAITING_ROOM_EVENT_MS)
  }

  #enter(): void {
    this.#enteredAtMs = performance.now()
    this.#room.show()
    if (this.client.info.options.recordingConsent) askRecordingConsent(this.view, () => this.leave())
    for (const level of [9, 10, 11, 12]) emitJoinSpeed(level)
    if (this.#options.joinsAudio) this.#room.startAudio(this.client.info.options.joinAudio)
  }

  async #joinAudio(): Promise<void> {
    emitJoinSpeed(13)
    await this.client.joinAudio()
    emitJoinSpeed(14)
  }

  #onRoster(change: 'add' | 'update' | 'remove', attendee: Parameters<ClientEvents['onRoster']>[1]): void {
    const user = sdkUser(attendee, this.client.userId)
    this.#room.onRoster(change, attendee)
    if (change === 'remove') {
      if (attendee.id !== this.client.userId) emit('onUserLeave', { ...user, reasonCode: 0 })
      return
    }
    emit(change === 'add' ? 'onUserJoin' : 'onUserUpdate', user)
  }

  #onSpeakers(userIds: readonly number[]): void {
    this.#room.onSpeakers(userIds)
    const speakers = userIds.map((userId) => ({ userId, userName: this.client.attendees.get(userId)?.name ?? '' }))
    if (speakers.length > 0) emit('onActiveSpeaker', speakers)
  }

  #onChat(message: Parameters<ClientEvents['onChat']>[0]): void {
    const { msgId, senderId, senderName: sender, receiverId, text, t } = message
    this.#room.onChat(message)
    const receiver = receiverId === 0 ? 'Everyone' : (this.client.attendees.get(receiverId)?.name ?? '')
    const content = { text, messageId: msgId, chatType: '', messageType: '', t }
    emit('onReceiveChatMsg', { sender, senderId, receiver, receiverId, type: 'text', content })
  }

  #onCaption(caption: Parameters<ClientEvents['onCaption']>[0]): void {
    const { msgId, text, done, userId } = caption
    this.#room.onCaption(caption)
    if (!this.client.info.options.savesCaptions) return void emit('onReceiveTranscriptionMsg', 'Save caption is not allowed!')
    const displayName = this.client.attendees.get(userId)?.name ?? ''
    emit('onReceiveTranscriptionMsg', { msgId, text, done, userId, displayName, user: { userId, displayName } })
  }

  #onMoved(room: string | null): void {
    this.view.clearPeople()
    this.#room.show(room)
    if (this.#options.joinsAudio) this.#room.startAudio('automatic')
  }

  #onPromotion(): void {
    const { promotion, joinAsPanelist, cancel } = this.#options.words
    this.view.dialog(promotion, '', [
      { control: 'join-as-panelist', text: joinAsPanelist, press: () => this.client.becomePanelist() },
      { control: 'stay-attendee', text: cancel },
    ])
  }

  #onPermission(agreed: boolean): void {
    const { granted, denied } = this.#options.words
    document.getElementById('notificationManager')?.replaceChildren(agreed ? granted : denied)
    emit('onMediaCapturePermissionChange', { allow: agreed })
  }

  #onNetwork(state: 'lost' | 'back'): void {
    emit('onMeetingStatus', { meetingStatus: state === 'lost' ? 4 : 2 })
    if (state === 'lost') this.view.dialog(this.#options.words.reconnecting, '', [])
    else {
      this.view.closeDialogs()
      this.view.clearPeople()
    }
  }

  #onEnd({ word, code }: EndBody): void {
    const detail = word === 'error' ? { errorCode: code, errorMessage: messageOf(code) } : undefined
    if (detail && !this.#isJoined) this.#options.onError(code, detail.errorMessage)
    if (word !== 'error') emit('onUserLeave', LEAVE_REASONS[word])
    emit('onMeetingStatus', {
      meetingStatus: 3,
      ...(detail && (this.#isJoined || this.#options.reportsStatus) ? { errorCode: code, detail } : {}),
    })
    if (!this.#options.showsDialogs && detail) return
    const [title, content] = endTexts(word, code, this.#options.words)
    const buttons = [{ control: 'end-ok', text: this.#options.words.ok, press: () => this.#goAway() }]
    this.view.dialog(title, content, buttons)
  }

  #goAway(): void {
    const { leaveUrl } = this.#options
    setTimeout(() => location.assign(leaveUrl), REDIRECT_MS)
  }
}
