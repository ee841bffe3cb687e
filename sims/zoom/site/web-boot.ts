// What the documents of the web client carry for their scripts.
import type { WebScenario } from './web-scenario.ts'
import type { Words } from './words.ts'

export type WebBoot = {
  readonly words: Words
  readonly web: WebScenario
  readonly meetingNumber: string
  readonly topic: string
  readonly needsPasscode: boolean
  /** From the link; empty, if it had none. */
  readonly passcode: string
  /** This load of the page stalls while joining. */
  readonly stalls: boolean
  readonly webUrl: string
}

/** Of the element that holds it. */
export const BOOT_ID = 'web-boot'
