/// <reference lib="dom" />
// The call: media, tiles, panels and controls, updated by the messages of the channels.
import type { MediaPath } from '../scenario.ts'
import { scenario, texts } from './boot.ts'
import { Captions } from './captions.ts'
import { devices } from './devices.ts'
import { ask } from './dialogs.ts'
import { make } from './dom.ts'
import { Media } from './media.ts'
import { Panels } from './panels.ts'
import { createRoomBanner } from './rooms.ts'
import { Roster } from './roster.ts'
import { reportState, sync } from './server.ts'
import { confirmLeaving, createMoreButton } from './settings.ts'
import { Stage } from './stage.ts'
import { createToolbar } from './toolbar.ts'

export type Call = {
  /** The network failed and may return. */
  lost(): void
  back(): void
  changeMedia(path: MediaPath): void
  end(): void
}

export type CallOptions = {
  readonly deviceId: string
  readonly name: string
  readonly leave: () => void
  /** The breakout room; empty: the meeting. */
  readonly room: string
  readonly goBack: () => void
}

export function startCall({ deviceId, name, leave, room, goBack }: CallOptions): Call {
  const roster = new Roster({ deviceId, name }, () => draw())
  const media = createMedia(roster, () => draw())
  const stage = new Stage(roster, media)
  const panels = new Panels(roster)
  const captions = new Captions(roster, sendState)
  const more = createMoreButton({ captionLanguage: (language) => captions.speak(language) })
  const askToLeave = async () => {
    if (await confirmLeaving()) leave()
  }
  const toolbar = createToolbar({
    captions: captions.button,
    more,
    toggle: (panel) => panels.toggle(panel),
    leave: () => void askToLeave(),
  })
  const banner = make('div', { class: 'banner', role: 'alert' }, texts.network[scenario.network])

  function draw(): void {
    stage.draw()
    panels.draw()
    captions.draw()
    toolbar.count(roster.people().length)
  }

  function sendState(): void {
    const [microphone, camera] = [devices.isOn('microphone'), devices.isOn('camera')]
    reportState({ microphone, camera, captions: captions.language }).catch(() => undefined) // Without network, the next change reports it.
  }

  const parts = [stage.element, panels.element, captions.region, toolbar.element, ...overlays(room, goBack), media.element]
  document.body.replaceChildren(make('div', { class: 'call' }, ...parts))
  devices.onChange(() => {
    draw()
    sendState()
  })
  draw()
  sendState()
  heedCaptionKey(captions)
  connect(media)
  if (scenario.consentsAt === 'call') void askForConsent(leave)
  const stopTimers = refresh(roster, media, stage)

  return {
    lost() {
      document.body.append(banner)
    },
    back() {
      banner.remove()
      connect(media)
    },
    changeMedia(path) {
      media.change(path).catch(didNotConnect)
    },
    end() {
      stopTimers()
      media.close()
    },
  }
}

function overlays(room: string, goBack: () => void): readonly HTMLElement[] {
  return [
    make('div', { class: 'announced', role: 'status', 'aria-live': 'polite' }, texts.joined),
    ...(scenario.geminiPill ? [make('div', { class: 'pill' }, texts.geminiPill)] : []),
    ...(room === '' ? [] : [createRoomBanner(room, goBack)]),
  ]
}

function createMedia(roster: Roster, draw: () => void): Media {
  return new Media({
    collections: (bytes) => roster.onCollections(bytes),
    caption: (bytes) => roster.onCaption(bytes),
    assignment: (bytes) => roster.onAssignment(bytes),
    picture: draw,
  })
}

function connect(media: Media): void {
  media.connect().catch(didNotConnect)
}

function didNotConnect(error: unknown): void {
  console.error('The media did not connect', error)
}

function heedCaptionKey(captions: Captions): void {
  document.addEventListener('keydown', ({ key, target, ctrlKey }) => {
    const isWriting = target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea'))
    if (key.toLowerCase() === 'c' && !ctrlKey && !isWriting && captions.button.isConnected) captions.toggle()
  })
}

/** The whole roster every few seconds, the speakers many times per second. */
function refresh(roster: Roster, media: Media, stage: Stage): () => void {
  const read = () => {
    sync()
      .then((bytes) => roster.onSync(bytes))
      .catch(() => undefined) // The next one replaces it.
  }
  const timers = [setInterval(read, scenario.syncEveryMs), setInterval(() => stage.drawLevels(media.levels()), scenario.pollEveryMs)]
  read()
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

/** Resolves when all consents are given. */
export async function askForConsent(leave: () => void): Promise<void> {
  for (const consent of scenario.consents) {
    const [heading = '', text = ''] = texts.consents[consent]
    const isNotice = consent === 'differently'
    const agree = { control: `consent_${consent}`, text: isNotice ? texts.gotIt : texts.join.now, action: 'ok' }
    const refuse = { control: 'leave_instead', text: texts.leaveInstead, action: 'cancel', press: leave }
    await ask(heading, text, isNotice ? [agree] : [refuse, agree])
  }
}
