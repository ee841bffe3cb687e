// Structured logs: a constant message, with facts in fields. Names, speech, tokens and links go only under `pii`.
import { type Logger, pino } from 'pino'

export type { Logger }

export type LogOptions = { readonly level: string; readonly pretty: boolean }

export function createLog({ level, pretty }: LogOptions): Logger {
  const options = { level, redact: ['req.headers.authorization', 'headers.authorization'] }
  const transport = { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } }
  // pino's own writer blocks for ever on a terminal or log reader that is gone.
  return pretty ? pino({ ...options, transport }) : pino(options, { write: (line) => void process.stdout.write(line) })
}
