// What a bot looks after once a second in a call: what the client leaves in `window`, and devices that turn themselves on.
import type { Facts } from './facts.ts'
import type { Tab } from './tab.ts'
import type { ControlName } from './tables.ts'
import type { WebClient } from './web-client.ts'

export type Device = 'microphone' | 'camera'
const DEVICES: readonly Device[] = ['microphone', 'camera']

type UpkeepTools = {
  readonly tab: Tab
  readonly client: Pick<WebClient, 'globals' | 'idleAfterMs' | 'captions'>
  readonly receive: (report: object) => void
  /** Whether the bot itself wants this device on. */
  readonly isWanted: (device: Device) => boolean
  /** Null while nobody asked for a language. */
  readonly captionLanguage: () => string | null
  readonly turnOff: (device: Device) => Promise<void>
  readonly now: () => number
}

export class Upkeep {
  readonly #tools: UpkeepTools
  #movedAt: number

  constructor(tools: UpkeepTools) {
    this.#tools = tools
    this.#movedAt = tools.now()
  }

  async look({ visible }: Facts): Promise<void> {
    await this.#readGlobals()
    await this.#stayAwake()
    await this.#keepLanguage()
    // A client may unmute itself, for example when the bot is let in.
    const isOn = (device: Device) => visible.has(`${device}On` satisfies ControlName)
    for (const device of DEVICES) if (isOn(device) && !this.#tools.isWanted(device)) await this.#tools.turnOff(device)
  }

  async #readGlobals(): Promise<void> {
    const { tab, client, receive } = this.#tools
    for (const [kind, expression] of Object.entries(client.globals ?? {}))
      receive({ kind, text: JSON.stringify((await tab.run(expression)) ?? null) })
  }

  /** The language of captions is the meeting's, and somebody who comes in may set it anew. */
  async #keepLanguage(): Promise<void> {
    const { tab, client, captionLanguage } = this.#tools
    const language = captionLanguage()
    if (language !== null && client.captions) await tab.run(client.captions.keep(language))
  }

  /** A client may take a tab for idle in which no mouse moves, and no longer tell it anything. */
  async #stayAwake(): Promise<void> {
    const { tab, client, now } = this.#tools
    if (client.idleAfterMs === undefined || now() - this.#movedAt < client.idleAfterMs) return
    this.#movedAt = now()
    await tab.wakeToolbar()
  }
}
