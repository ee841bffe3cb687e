/// <reference lib="dom" />
// A meeting in the web client, from the answer of `wc/info` to its end.
import type { EndBody, HoldBody, InfoResult } from '../../site/wire.ts'
import { CallView } from '../call-view.ts'
import { Client, type ClientEvents } from '../client.ts'
import { button, make } from '../make.ts'
import { Room } from '../room.ts'
import { moveTo } from '../rooms.ts'
import { endTexts, waitingText } from '../screen-texts.ts'
import { askRecordingConsent } from '../walls.ts'
import { boot, root } from './boot.ts'
import type { Ready } from './preview.ts'

export type MeetingOptions = { readonly ready: Ready; readonly hasDevices: boolean }

export class WebMeeting {
  readonly #options: MeetingOptions
  readonly #view: CallView
  readonly #client: Client
  readonly #room: Room
  #standing: HoldBody['standing'] | null = null

  constructor(info: InfoResult, options: MeetingOptions) {
    this.#options = options
    const holder = document.createElement('div')
    holder.id = 'zmmtg-root'
    root.replaceChildren(holder)
    this.#view = new CallView(boot.words, holder)
    this.#view.showJoining()
    this.#room = new Room({
      view: this.#view,
      client: () => this.#client,
      joinAudio: () => this.#client.joinAudio(),
      leave: () => this.#leave(),
    })
    this.#client = new Client(info, this.#events())
  }

  #events(): ClientEvents {
    return {
      onJoined: () => undefined,
      onHold: (hold) => this.#onHold(hold),
      onEnd: (end) => this.#onEnd(end),
      onRoster: (change, attendee) => this.#room.onRoster(change, attendee),
      onSpeakers: (userIds) => this.#room.onSpeakers(userIds),
      onChat: (message) => this.#room.onChat(message),
      onCaption: (caption) => this.#room.onCaption(caption),
      onPromotion: () => undefined,
      onRoom: (room) => moveTo(room, this.#view, () => this.#client.followRoom(room.name)),
      onMoved: (room) => this.#onMoved(room),
      onPermission: () => undefined,
      onCapture: () => undefined,
      onNetwork: (state) => this.#onNetwork(state),
      onPicture: (note, element) => this.#view.putPicture(note, element),
      onPictureGone: (note) => this.#view.removePicture(note),
    }
  }

  #onHold({ standing }: HoldBody): void {
    if (standing === this.#standing) return
    this.#standing = standing
    if (standing === 'inside') return void this.#enter()
    this.#view.clearPeople()
    this.#view.showWaiting(boot.topic, waitingText(standing, this.#client.info.options.lobby, boot.words), () => this.#leave())
  }

  #enter(): void {
    const { ready, hasDevices } = this.#options
    this.#room.show()
    if (boot.web.recordingConsent) askRecordingConsent(this.#view, () => this.#leave())
    if (boot.web.popup) showTip()
    if (!hasDevices) return
    // Devices are reset on joining.
    void this.#client.devices.turn('microphone', boot.web.unmutesItself || !ready.isMuted)
    if (ready.hasVideo) void this.#client.devices.turn('camera', true)
    this.#room.startAudio(this.#client.info.options.joinAudio)
  }

  #onMoved(room: string | null): void {
    this.#view.clearPeople()
    this.#room.show(room)
    if (this.#options.hasDevices) this.#room.startAudio('automatic')
  }

  #onNetwork(state: 'lost' | 'back'): void {
    this.#view.closeDialogs()
    if (state === 'lost') this.#view.dialog(boot.words.reconnecting, '', [])
    else this.#view.clearPeople()
  }

  #onEnd({ word, code }: EndBody): void {
    const [title, content] = endTexts(word, code, boot.words)
    this.#view.closeDialogs()
    this.#view.dialog(title, content, [{ control: 'end-ok', text: boot.words.ok, press: goHome }])
  }

  #leave(): void {
    this.#client.leave()
    goHome()
  }
}

function showTip(): void {
  const tip = make('div', { class: 'relative-tooltip' }, 'Try the new view')
  tip.append(button('tip', boot.words.gotIt, () => tip.remove()))
  document.body.append(tip)
}

function goHome(): void {
  location.assign(`https://zoom.us/wc/leave?home=${boot.web.home}`)
}
