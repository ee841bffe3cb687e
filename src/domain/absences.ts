// Absences: why a bot loses its session, which losses count, and how long the bot was away.

type LossRule = {
  /** Counts towards the losses after which a bot is given up. */
  readonly counts: boolean
  readonly message: string
}

// biome-ignore format: a table reads best with one row a line
export const LOSSES = {
  BrowserCrashed:      { counts: true,  message: 'The browser of the bot crashed' },
  PageFrozen:          { counts: true,  message: 'The meeting page stopped responding' },
  WorkerLost:          { counts: true,  message: 'The process of the bot ended' },
  NeighbourCrashed:    { counts: false, message: 'The browser crashed while it held several bots' },
  ServerRestarted:     { counts: false, message: 'The server was restarted' },
  HandedOver:          { counts: false, message: 'The bot was handed over to another server' },
  DatabaseUnreachable: { counts: false, message: 'The server lost its database' },
  ServiceBusy:         { counts: false, message: 'The server was too busy to attend to the bot' },
  Paused:              { counts: false, message: 'The server was paused' },
} as const satisfies Record<string, LossRule>

export type LossReason = keyof typeof LOSSES

/** `to` is null while the bot is away. */
export type Absence = { readonly from: Date; readonly to: Date | null; readonly reason: LossReason }

/** A bot rejoins after this many counted losses within the window. The next one ends it. */
const MOST_COUNTED_LOSSES = 3
/** The limit for losses of every kind, so that a meeting that keeps crashing its worker ends too. */
const MOST_LOSSES = 10
export const LOSS_WINDOW_SECONDS = 600

export type RecentLosses = { readonly counted: number; readonly all: number }

export function isLostTooOften({ counted, all }: RecentLosses): boolean {
  return counted > MOST_COUNTED_LOSSES || all > MOST_LOSSES
}

/** Milliseconds of `absences` between two moments. */
export function absentMs(absences: readonly Pick<Absence, 'from' | 'to'>[], from: Date, to: Date): number {
  return absences.reduce((sum, it) => {
    const start = Math.max(it.from.getTime(), from.getTime())
    const end = Math.min((it.to ?? to).getTime(), to.getTime())
    return sum + Math.max(0, end - start)
  }, 0)
}
