/// <reference lib="dom" />
// The tiles: one for each participant and one for each presentation.
import { fill, scenario, texts } from './boot.ts'
import { devices } from './devices.ts'
import { classOf, icon, make, pressable } from './dom.ts'
import type { Media } from './media.ts'
import type { Roster, User } from './roster.ts'

type Tile = { readonly element: HTMLElement; update(user: User): void; level(level: number): void }

export class Stage {
  readonly element = make('main', { class: 'stage', jsname: 'BOHaEe' })
  readonly #tiles = new Map<string, Tile>()
  readonly #roster: Roster
  readonly #media: Media
  readonly #alone = make('div', { class: 'alone' }, texts.onlyOne)

  constructor(roster: Roster, media: Media) {
    this.#roster = roster
    this.#media = media
  }

  draw(): void {
    const people = this.#roster.people()
    const users = [...this.#roster.presentations(), ...people]
    for (const [deviceId, { element }] of this.#tiles) {
      if (users.some((it) => it.deviceId === deviceId)) continue
      element.remove()
      this.#tiles.delete(deviceId)
    }
    for (const user of users) this.#tileOf(user).update(user)
    this.element.style.setProperty('--columns', String(Math.ceil(Math.sqrt(users.length))))
    if (people.length === 1) this.element.append(this.#alone)
    else this.#alone.remove()
  }

  /** Borders around speakers. */
  drawLevels(levels: ReadonlyMap<number, number>): void {
    const byDevice = new Map([...levels].map(([source, level]) => [this.#roster.speakerOf(source), level]))
    for (const [deviceId, tile] of this.#tiles) tile.level(byDevice.get(deviceId) ?? 0)
  }

  #tileOf(user: User): Tile {
    const known = this.#tiles.get(user.deviceId)
    if (known) return known
    const tile = this.#create(user.deviceId)
    this.#tiles.set(user.deviceId, tile)
    this.element.append(tile.element)
    return tile
  }

  #create(deviceId: string): Tile {
    const video = make('video', { autoplay: true, playsinline: true })
    video.muted = true
    const face = make('div', { class: 'face' })
    const name = make('span', { class: 'notranslate' })
    const pin = pressable({ control: 'pin', attributes: { class: 'round small' }, press: () => undefined }, icon('keep'))
    const ids = { 'data-participant-id': deviceId, 'data-requested-participant-id': deviceId }
    const label = make('div', { class: 'tile-name' }, icon('devices'), name)
    const element = make('div', { class: 'tile silent', ...ids, 'data-audio-level': '0' }, face, video, label, pin)
    return {
      element,
      update: (user) => {
        name.textContent = user.parentDeviceId === null ? user.name : fill(texts.presenting, { name: user.name })
        if (user.isSelf) name.setAttribute('data-self-name', user.name)
        pin.setAttribute('aria-label', fill(texts.pin, { name: user.name }))
        if (face.childNodes.length === 0) face.append(faceOf(user))
        this.#showPicture(video, user)
        this.#showSource(video, user.deviceId)
        const room = this.#roster.roomOf(user.deviceId)
        if (room !== null) element.setAttribute('data-cohort-id', room)
      },
      level: (level) => {
        element.className = classOf(level > 0 ? 'tile speaking' : 'tile silent')
        element.setAttribute('data-audio-level', String(Math.round(level * 100)))
      },
    }
  }

  #showSource(media: HTMLMediaElement, deviceId: string): void {
    const source = scenario.sourceAttributes ? this.#roster.sourceOf(deviceId) : null
    if (source === null) media.removeAttribute('data-ssrc')
    else media.setAttribute('data-ssrc', source)
  }

  #showPicture(video: HTMLVideoElement, { deviceId, isSelf }: User): void {
    const output = this.#roster.output('video', deviceId)
    const own = devices.track('camera')
    const theirs = output?.disabled ? null : this.#media.picture(output?.streamId ?? null)
    const stream = isSelf ? own && new MediaStream([own]) : theirs
    const shown = video.srcObject as MediaStream | null
    if (shown?.getVideoTracks()[0] !== stream?.getVideoTracks()[0]) video.srcObject = stream
    video.hidden = !stream
  }
}

function faceOf({ picture, name }: User): Node | string {
  return picture ? make('img', { class: 'photo', src: picture, alt: '' }) : name.slice(0, 1)
}
