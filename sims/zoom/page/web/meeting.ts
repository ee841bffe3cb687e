/// <reference lib="dom" />
// A meeting in the web client, from the answer of `wc/info` to its end.
import type { EndBody, HoldBody, InfoResult } from '../../site/wire.ts'
import { CallView } from '../call-view.ts'
import { Client, type ClientEvents } from '../client.ts'
import { endTexts } from '../end-texts.ts'
import { Room } from '../room.ts'
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
    this.#view.showWaiting(boot.topic, standing === 'not_started' ? boot.words.waitForHost : lobbyText(), () => this.#leave())
  }

  #enter(): void {
    const { ready, hasDevices } = this.#options
    this.#room.show()
    if (boot.web.recordingConsent) this.#askConsent()
    if (boot.web.popup) this.#view.dialog('Try the new view', '', [{ control: 'popup', text: boot.words.gotIt }])
    if (!hasDevices) return
    // Devices are reset on joining.
    void this.#client.devices.turn('microphone', boot.web.unmutesItself || !ready.isMuted)
    if (ready.hasVideo) void this.#client.devices.turn('camera', true)
    this.#room.startAudio(this.#client.info.options.joinAudio)
  }

  #askConsent(): void {
    const { recorded, recordedBody, gotIt, leaveMeeting } = boot.words
    this.#view.dialog(recorded, recordedBody, [
      { control: 'recording-consent', text: gotIt },
      { control: 'recording-leave', text: leaveMeeting, press: () => this.#leave() },
    ])
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

function goHome(): void {
  location.assign('https://zoom.us/wc/leave')
}

function lobbyText(): string {
  const { admitReady, putOnHold, hostKnows, aboutToJoin, hostLost } = boot.words
  return { admit_ready: admitReady, put_on_hold: putOnHold, host_knows: hostKnows, about_to_join: aboutToJoin, host_lost: hostLost }[
    boot.lobby
  ]
}
