// The messages between a bench and the process that runs a simulated platform.
import type { MediaPath } from '../options.ts'
import type { Sent } from './room-meeting.ts'

export type Opening = {
  readonly code: string
  readonly width: number
  readonly height: number
  /** True: participants talk, join, leave and write, so speakers keep changing lanes. False: three of them hum without a pause. */
  readonly lively: boolean
  readonly media: MediaPath
}

export type Command = ({ readonly kind: 'open' } & Opening) | { readonly kind: 'sent' | 'end'; readonly code: string }
export type NumberedCommand = { readonly id: number } & Command

export type Answer = { readonly sent: Sent | null; readonly link: string | null }
/** Browser flags and settings of the service with which bots reach the simulator. */
export type SimulatorFacts = { readonly flags: readonly string[]; readonly settings?: Readonly<Record<string, string>> }
/** The first message holds the facts; each later one answers a command. */
export type FromSimulator = SimulatorFacts | ({ readonly id: number } & Answer)
