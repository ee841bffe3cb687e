/// <reference lib="dom" />
// The tiles: one for each participant and one for each shared screen, in the three known markups.
import { fill, scenario, texts } from './boot.ts'
import { devices } from './devices.ts'
import { make, mutedIcon } from './make.ts'
import type { Media } from './media.ts'
import { isMuted, type Participant, type Roster, sentSource, streamOf, suffixOf } from './roster.ts'
import type { Subscriptions } from './subscriptions.ts'

type Tile = { readonly element: HTMLElement; update(participant: Participant): void; speak(on: boolean): void }
type Frame = { readonly element: HTMLElement; label(participant: Participant): void; speak(on: boolean): void }

export class Stage {
  readonly element: HTMLElement
  readonly #segment = make('div', { 'data-test-segment-type': 'central', class: 'segment' })
  readonly #alone = make('div', { class: 'alone' }, texts.alone[scenario.alone])
  readonly #tiles = new Map<string, Tile>()
  readonly #roster: Roster
  readonly #media: Media
  readonly #subscriptions: Subscriptions

  constructor(roster: Roster, media: Media, subscriptions: Subscriptions) {
    this.#roster = roster
    this.#media = media
    this.#subscriptions = subscriptions
    this.element = make('div', { 'data-tid': 'stage-layout', class: 'stage' }, this.#segment)
  }

  draw(): void {
    const people = this.#roster.people()
    const sharing = people.filter((it) => sentSource(it, 'applicationsharing-video') !== null)
    const wanted = new Set([...people.map(({ id }) => id), ...sharing.map(({ id }) => `screen ${id}`)])
    for (const [key, { element }] of this.#tiles) {
      if (wanted.has(key)) continue
      element.remove()
      this.#tiles.delete(key)
    }
    for (const it of people) this.#tile(it.id, 'video').update(it)
    for (const it of sharing) this.#tile(`screen ${it.id}`, 'applicationsharing-video').update(it)
    if (this.#roster.others().length === 0) this.#segment.append(this.#alone)
    else this.#alone.remove()
  }

  drawSpeaking(sources: ReadonlySet<number>): void {
    for (const it of this.#roster.people()) this.#tiles.get(it.id)?.speak(sources.has(streamOf(it, 'audio')?.sourceId ?? -1))
  }

  show(view: 'speaker' | 'gallery'): void {
    this.element.dataset.view = view
  }

  #tile(key: string, type: 'video' | 'applicationsharing-video'): Tile {
    const known = this.#tiles.get(key)
    if (known) return known
    const video = make('video', { autoplay: true, playsinline: true })
    video.muted = true
    const { element, label, speak } = type === 'video' ? FRAMES[scenario.tiles](video) : createScreenFrame(video)
    this.#segment.append(element)
    const update = (participant: Participant) => {
      label(participant)
      this.#showPicture(video, participant, type)
    }
    const tile = { element, update, speak }
    this.#tiles.set(key, tile)
    return tile
  }

  #showPicture(video: HTMLVideoElement, participant: Participant, type: 'video' | 'applicationsharing-video'): void {
    const own = devices.track('camera')
    const theirs = this.#media.picture(this.#subscriptions.streamIdOf(sentSource(participant, type)))
    const stream = participant.id === this.#roster.ownId ? own && new MediaStream([own]) : theirs
    const shown = video.srcObject as MediaStream | null
    if (shown?.getVideoTracks()[0] !== stream?.getVideoTracks()[0]) video.srcObject = stream
    video.hidden = !stream
  }
}

const FRAMES: Readonly<Record<typeof scenario.tiles, (video: HTMLElement) => Frame>> = {
  current(video) {
    const outline = make('div', { 'data-tid': 'voice-level-stream-outline', class: 'outline' }, video)
    const nametag = make('div', { 'data-tid': 'participant-info-nametag', class: '___2u340f0 nametag' })
    const content = scenario.outline === 'voice' ? outline : video
    const element = make('div', { class: 'tile', 'data-stream-type': 'Video' }, content, nametag)
    return {
      element,
      label(participant) {
        element.setAttribute('data-tid', participant.displayName)
        element.setAttribute('aria-label', labelOf(participant))
        nametag.textContent = participant.displayName + suffixOf(participant)
      },
      speak: (on) => outline.classList.toggle('vdi-frame-occlusion', on),
    }
  },
  older(video) {
    const ring = make('div', { class: 'participant-speaker-ring' })
    const element = make('div', { class: 'tile', 'data-cid': 'calling-participant-stream' }, ring, video)
    return {
      element,
      label: (participant) => element.setAttribute('aria-label', labelOf(participant)),
      speak: (on) => ring.classList.toggle('speaking', on),
    }
  },
  personal(video) {
    const name = make('span')
    const muted = make('span', { 'data-cid': 'roster-participant-muted' }, mutedIcon())
    const element = make('div', { class: 'tile', 'data-tid': 'menur1j' }, video, name, muted)
    return {
      element,
      label(participant) {
        name.textContent = participant.displayName
        name.title = participant.displayName
        muted.hidden = !isMuted(participant)
      },
      speak: (on) => element.classList.toggle('vdi-frame-occlusion', on && scenario.outline === 'voice'),
    }
  },
}

function createScreenFrame(video: HTMLElement): Frame {
  const text = make('div', { class: 'nametag' })
  const element = make('div', { class: 'tile screen', 'data-stream-type': 'ScreenSharing' }, video, text)
  return {
    element,
    label({ displayName }) {
      element.setAttribute('data-tid', displayName)
      text.textContent = fill(texts.sharesScreen, { name: displayName })
    },
    speak: () => undefined,
  }
}

/** By the suffix of the name in its tag. */
const BADGES: Readonly<Record<string, readonly string[]>> = {
  ' (Unverified)': ['External unfamiliar', 'Unverified'],
  ' (Guest)': ['External unfamiliar'],
  ' (External)': ['External'],
}

/** Comma-separated: name, notes about the person, and the state of the microphone. */
function labelOf(participant: Participant): string {
  const badges = scenario.badges === 'none' ? [] : (BADGES[suffixOf(participant)] ?? [])
  const name = scenario.badges === 'glued' ? [participant.displayName, ...badges].join('') : participant.displayName
  const listed = scenario.badges === 'listed' ? badges : []
  return [name, ...listed, isMuted(participant) ? texts.muted : texts.unmuted].join(', ')
}
