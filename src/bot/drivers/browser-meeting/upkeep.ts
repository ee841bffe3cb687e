// Tasks of a bot once a second in a call: reports globals of the page, and turns off devices that turned themselves on.
import type { Facts } from './facts.ts'
import type { MeetingClient } from './meeting-client.ts'
import type { ControlName, PageRules } from './page-rules.ts'
import type { Tab } from './tab.ts'

export type Device = 'microphone' | 'camera'
const DEVICES: readonly Device[] = ['microphone', 'camera']

type UpkeepTools = {
  readonly tab: Tab
  readonly client: Pick<MeetingClient, 'traffic' | 'captions'> & { readonly pageRules?: Pick<PageRules, 'panels'> }
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

/** Returns the function that does the tasks. It is called after each look at the call. */
export function createUpkeep(tools: UpkeepTools): (facts: Facts) => Promise<void> {
  const { tab, client, now } = tools
  const { globals = {}, idleAfterMs = Number.POSITIVE_INFINITY } = client.traffic ?? {}
  const { panels = [] } = client.pageRules ?? {}
  let movedAt = now()

  /** A client may treat a tab without mouse movement as idle and stop its updates. */
  async function moveMouse(): Promise<void> {
    if (now() - movedAt < idleAfterMs) return
    movedAt = now()
    await tab.wakeToolbar()
  }

  /** The language of captions belongs to the meeting. A participant who joins may change it. */
  async function keepLanguage(): Promise<void> {
    const language = tools.captionLanguage()
    if (language !== null && client.captions) await tab.run(client.captions.keep(language))
  }

  return async ({ visible }) => {
    for (const panel of panels.filter((it) => visible.has(it))) await tools.open(panel)
    for (const [kind, expression] of Object.entries(globals))
      tools.receive({ kind, text: JSON.stringify((await tab.run(expression)) ?? null) })
    await moveMouse()
    await keepLanguage()
    // A client may unmute itself, for example at admission.
    const unwanted = DEVICES.filter((device) => visible.has(`${device}On` satisfies ControlName) && !tools.isWanted(device))
    for (const device of unwanted) await tools.turnOff(device)
  }
}
