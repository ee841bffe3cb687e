// Structured logs: a constant message, the facts in fields; names, speech, tokens and links only under `pii`.
import { type Logger, pino } from 'pino'

export type { Logger }

export type LogOptions = { readonly level: string; readonly pretty: boolean }

export function createLog({ level, pretty }: LogOptions): Logger {
  return pino({
    level,
    redact: ['req.headers.authorization', 'headers.authorization'],
    ...(pretty && { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } } }),
  })
}
