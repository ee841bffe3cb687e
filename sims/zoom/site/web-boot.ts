// The data that documents of the web client hold for their scripts.
import type { WebScenario } from './web-scenario.ts'
import type { Words } from './words.ts'

export type WebBoot = {
  readonly words: Words
  readonly web: WebScenario
  readonly meetingNumber: string
  readonly topic: string
  readonly needsPasscode: boolean
  /** From the link; empty if it has none. */
  readonly passcode: string
  /** This load of the page stalls while joining. */
  readonly stalls: boolean
  readonly webUrl: string
  /** The address of block pages on another site. */
  readonly blockUrl: string
}

/** The id of the element that holds the data. */
export const BOOT_ID = 'web-boot'
