/// <reference lib="dom" />
// The call: media, tiles, panels and controls, updated by the socket and the data channel.
import { scenario, texts } from './boot.ts'
import { Captions } from './captions.ts'
import { ChatPort } from './chat-port.ts'
import { devices } from './devices.ts'
import { ask } from './dialogs.ts'
import { publishCall } from './globals.ts'
import { make } from './make.ts'
import { Media } from './media.ts'
import { Panels } from './panels.ts'
import { pressable } from './press.ts'
import { Roster } from './roster.ts'
import { fetchRoster, reportState } from './server.ts'
import { Stage } from './stage.ts'
import { Subscriptions } from './subscriptions.ts'
import { createToolbar, type Toolbar } from './toolbar.ts'

type Dominant = { readonly type: 'dsh'; readonly history: readonly number[] }
type Recognition = { readonly recognitionResults?: Parameters<Captions['add']>[0] }

const POLL_MS = 100
const { consent } = texts

export class ActiveCall {
  readonly #roster: Roster
  readonly #media: Media
  readonly #subscriptions: Subscriptions
  readonly #stage: Stage
  readonly #panels: Panels
  readonly #captions: Captions
  readonly #toolbar: Toolbar
  readonly #banner = make('div', { class: 'banner', role: 'alert' }, texts.network[scenario.network])
  readonly #stop: () => void

  constructor(id: string, leave: () => void) {
    this.#roster = new Roster(id, () => this.#draw())
    this.#media = new Media({ onMessage: (content) => this.#receive(content), onChange: () => this.#draw() })
    this.#subscriptions = new Subscriptions(this.#roster, this.#media)
    this.#stage = new Stage(this.#roster, this.#media, this.#subscriptions)
    this.#panels = new Panels(this.#roster)
    this.#captions = new Captions(this.#roster, () => this.#report())
    this.#toolbar = createToolbar({
      leave,
      toggle: (panel) => this.#panels.toggle(panel),
      areCaptionsOn: () => this.#captions.isOn,
      turnCaptions: (on) => this.#captions.turn(on),
      show: (view) => this.#stage.show(view),
      turnIncomingVideo: (on) => this.#subscriptions.turn(on),
    })
    this.#mount()
    this.#stop = this.#refresh()
    this.#connect()
  }

  updateRoster(body: unknown): void {
    this.#roster.update(body)
  }

  resetCaptionLanguage(): void {
    this.#captions.resetLanguage()
  }

  /** The network failed and may return. */
  lost(): void {
    document.body.append(this.#banner)
  }

  back(): void {
    this.#banner.remove()
    this.#connect()
  }

  end(): void {
    this.#stop()
    this.#media.close()
  }

  #mount(): void {
    const parts = [this.#toolbar, this.#stage, this.#panels, this.#captions, this.#media].map(({ element }) => element)
    document.body.replaceChildren(make('div', { class: 'call' }, ...parts, ...createPopup()))
    if (scenario.asksConsent)
      void ask(consent.ask, [
        { control: 'no_consent', text: consent.no },
        { control: 'consent', text: consent.yes },
      ])
    this.#draw()
  }

  #refresh(): () => void {
    const chat = new ChatPort((message) => this.#panels.add(message))
    const unpublish = publishCall({ roster: this.#roster, captions: this.#captions })
    const timer = setInterval(() => this.#stage.drawSpeaking(this.#media.speaking()), POLL_MS)
    devices.onChange(() => {
      this.#draw()
      this.#report()
    })
    return () => {
      clearInterval(timer)
      chat.close()
      unpublish()
    }
  }

  #connect(): void {
    const connect = async () => {
      this.#subscriptions.forget()
      await this.#media.connect()
      this.#roster.update(await fetchRoster())
      this.#report()
    }
    connect().catch((error: unknown) => console.error('The media did not connect', error))
  }

  #draw(): void {
    this.#subscriptions.update()
    this.#stage.draw()
    this.#panels.draw()
    this.#captions.draw()
    this.#toolbar.count(this.#roster.people().length)
  }

  #report(): void {
    const [microphone, camera] = [devices.isOn('microphone'), devices.isOn('camera')]
    const captions = this.#captions.isOn ? this.#captions.language : null
    reportState({ microphone, camera, captions }).catch(() => undefined) // Without network, the next change reports it.
  }

  #receive(content: unknown): void {
    if (!Array.isArray(content)) this.#captions.add((content as Recognition).recognitionResults ?? [])
    else for (const { type, history } of content as Dominant[]) if (type === 'dsh') this.#subscriptions.setDominant(history)
  }
}

function createPopup(): readonly HTMLElement[] {
  if (!scenario.popup) return []
  const attributes = { 'aria-label': texts.close, title: texts.close }
  const popup = make('div', { class: 'popup' }, texts.popup)
  popup.append(pressable({ control: 'close_popup', attributes, press: () => popup.remove() }, '×'))
  return [popup]
}
