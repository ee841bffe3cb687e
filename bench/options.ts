// The options of the command line that a bench gets.

export const PLATFORMS = ['room', 'google-meet', 'teams', 'zoom'] as const
export type Platform = (typeof PLATFORMS)[number]

/** How a Google Meet page plays audio: through the browser, or through a decoder of its own. */
export const MEDIA_PATHS = ['native', 'neteq'] as const
export type MediaPath = (typeof MEDIA_PATHS)[number]

export type BenchOptions = {
  readonly plans: boolean
  /** Shows CPU seconds by thread of workers and browsers. */
  readonly profile: boolean
  /** The folder for a CPU profile of the service. */
  readonly cpuProfile?: string | undefined
  /** Where the meetings take place. Each bench has its own default. */
  readonly platform?: Platform | undefined
  readonly media?: MediaPath | undefined
  readonly minutes?: number | undefined
  /** Faults of each kind (crash). */
  readonly count?: number | undefined
  /** Kinds of faults (crash). */
  readonly kinds?: readonly string[] | undefined
  /** Seed of the moments at which faults happen (crash). */
  readonly seed?: number | undefined
  /** Settings of the service that override those of the bench. */
  readonly settings?: Readonly<Record<string, string>>
}
