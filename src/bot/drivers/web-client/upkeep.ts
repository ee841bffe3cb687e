// Tasks of a bot once a second in a call: reports globals of the page, and turns off devices that turned themselves on.
import type { Facts } from './facts.ts'
import type { Tab } from './tab.ts'
import type { ControlName, PlatformTables } from './tables.ts'
import type { WebClient } from './web-client.ts'

export type Device = 'microphone' | 'camera'
const DEVICES: readonly Device[] = ['microphone', 'camera']

type UpkeepTools = {
  readonly tab: Tab
  readonly client: Pick<WebClient, 'globals' | 'idleAfterMs' | 'captions'> & { readonly tables?: Pick<PlatformTables, 'panels'> }
  readonly receive: (report: object) => void
  /** The bot itself wants this device on. */
  readonly isWanted: (device: Device) => boolean
  /** Null while no language was requested. */
  readonly captionLanguage: () => string | null
  readonly turnOff: (device: Device) => Promise<void>
  /** Presses the control that opens a panel. */
  readonly open: (control: ControlName) => Promise<void>
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
    for (const panel of this.#tools.client.tables?.panels ?? []) if (visible.has(panel)) await this.#tools.open(panel)
    await this.#readGlobals()
    await this.#stayAwake()
    await this.#keepLanguage()
    // A client may unmute itself, for example at admission.
    const isOn = (device: Device) => visible.has(`${device}On` satisfies ControlName)
    for (const device of DEVICES) if (isOn(device) && !this.#tools.isWanted(device)) await this.#tools.turnOff(device)
  }

  async #readGlobals(): Promise<void> {
    const { tab, client, receive } = this.#tools
    for (const [kind, expression] of Object.entries(client.globals ?? {}))
      receive({ kind, text: JSON.stringify((await tab.run(expression)) ?? null) })
  }

  /** The language of captions belongs to the meeting. A participant who joins may change it. */
  async #keepLanguage(): Promise<void> {
    const { tab, client, captionLanguage } = this.#tools
    const language = captionLanguage()
    if (language !== null && client.captions) await tab.run(client.captions.keep(language))
  }

  /** Moves the mouse: a client may treat a tab without mouse movement as idle and stop its updates. */
  async #stayAwake(): Promise<void> {
    const { tab, client, now } = this.#tools
    if (client.idleAfterMs === undefined || now() - this.#movedAt < client.idleAfterMs) return
    this.#movedAt = now()
    await tab.wakeToolbar()
  }
}
