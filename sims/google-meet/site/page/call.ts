/// <reference lib="dom" />
// The call: put together from media, tiles, panels and controls, and kept in step with what the channels tell.
import type { MediaPath } from '../scenario.ts'
import { scenario, words } from './boot.ts'
import { Captions } from './captions.ts'
import { devices } from './devices.ts'
import { ask } from './dialogs.ts'
import { make } from './dom.ts'
import { Media } from './media.ts'
import { Panels } from './panels.ts'
import { Roster } from './roster.ts'
import { sayState, sync } from './server.ts'
import { confirmLeaving, createMoreButton } from './settings.ts'
import { Stage } from './stage.ts'
import { createToolbar } from './toolbar.ts'

export type Call = {
  /** The network is gone; it may come back. */
  lost(): void
  back(): void
  changeMedia(path: MediaPath): void
  end(): void
}

export type CallOptions = { readonly deviceId: string; readonly name: string; readonly leave: () => void }

export function startCall({ deviceId, name, leave }: CallOptions): Call {
  const roster = new Roster({ deviceId, name }, () => draw())
  const media = new Media({
    collections: (bytes) => roster.hearCollections(bytes),
    caption: (bytes) => roster.hearCaption(bytes),
    picture: () => draw(),
  })
  const stage = new Stage(roster, media)
  const panels = new Panels(roster)
  const captions = new Captions(roster, tellState)
  const more = createMoreButton({ captionLanguage: (language) => captions.speak(language) })
  const askToLeave = async () => {
    if (await confirmLeaving()) leave()
  }
  const toolbar = createToolbar({
    ...{ captions: captions.button, more },
    toggle: (panel) => panels.toggle(panel),
    leave: () => void askToLeave(),
  })
  const banner = make('div', { class: 'banner', role: 'alert' }, words.network[scenario.network])

  function draw(): void {
    stage.draw()
    panels.draw()
    captions.draw()
    toolbar.count(roster.people().length)
  }

  function tellState(): void {
    const [microphone, camera] = [devices.isOn('microphone'), devices.isOn('camera')]
    sayState({ microphone, camera, captions: captions.language }).catch(() => undefined) // No network: told at the next change.
  }

  const pill = scenario.geminiPill ? [make('div', { class: 'pill' }, words.geminiPill)] : []
  const joined = make('div', { class: 'announced', role: 'status', 'aria-live': 'polite' }, words.joined)
  document.body.replaceChildren(
    make('div', { class: 'call' }, stage.element, panels.element, captions.region, toolbar.element, joined, ...pill, media.element),
  )
  devices.onChange(() => {
    draw()
    tellState()
  })
  draw()
  tellState()
  heedCaptionKey(captions)
  connect(media)
  if (scenario.consentsAt === 'call') void askForConsent(leave)
  const stopTimers = keepInStep(roster, media, stage)

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

/** The whole roster every few seconds, the speakers many times a second. */
function keepInStep(roster: Roster, media: Media, stage: Stage): () => void {
  const read = () => {
    sync()
      .then((bytes) => roster.hearSync(bytes))
      .catch(() => undefined) // The next one will do.
  }
  const timers = [setInterval(read, scenario.syncEveryMs), setInterval(() => stage.drawLevels(media.levels()), scenario.pollEveryMs)]
  read()
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

/** Settles when all is agreed to. */
export async function askForConsent(leave: () => void): Promise<void> {
  for (const consent of scenario.consents) {
    const [heading = '', text = ''] = words.consents[consent]
    const isNotice = consent === 'differently'
    const agree = { control: `consent_${consent}`, text: isNotice ? words.gotIt : words.join.now, action: 'ok' }
    const refuse = { control: 'leave_instead', text: words.leaveInstead, action: 'cancel', press: leave }
    await ask(heading, text, isNotice ? [agree] : [refuse, agree])
  }
}
