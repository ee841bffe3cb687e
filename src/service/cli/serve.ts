// emissary serve: the whole service in the foreground, until it is asked to stop.
import { defineCommand } from 'citty'
import { type Config, ConfigError, loadConfig } from '../config.ts'
import type { Service } from '../main.ts'
import { complain, say, sentenceOf } from './terminal.ts'

/** A service that hangs while it stops is ended after this. */
const STOP_WITHIN_MS = 9_500
const LOOK_FOR_PARENT_EVERY_MS = 500
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export const serve = defineCommand({
  meta: { name: 'serve', description: 'Start the service (what `npm start` does).' },
  args: { withParent: { type: 'boolean', description: 'Stop when the process that started it ends.' } },
  async run({ args }) {
    const config = readSettings()
    // Not loaded before: a wrong setting is said at once.
    const { startService } = await import('../main.ts')
    const starting = startService(config, { onProgress: say }).catch((error: unknown) => fail(reasonOf(error, config)))
    // A start that is interrupted has a database to stop.
    const stop = stopOnce(() => starting.then((service) => service.stop()))
    for (const signal of STOP_SIGNALS) process.on(signal, stop)
    // A terminal that is closed takes nothing more, and the service still has to stop.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
    if (args.withParent) whenParentEnds(stop)
    greet(await starting, config)
  },
})

function readSettings(): Config {
  try {
    const config = loadConfig()
    return config.LOG_FORMAT === 'auto' ? { ...config, LOG_FORMAT: process.stdout.isTTY ? 'pretty' : 'json' } : config
  } catch (error) {
    if (error instanceof ConfigError) fail(`${error.message}\nSee 'emissary settings'.`)
    throw error
  }
}

function greet({ url, firstWorkspace, setUpUrl }: Service, { PUBLIC_URL, ALLOW_INSECURE_URLS, BOOTSTRAP_API_KEY }: Config): void {
  if (firstWorkspace) {
    say('')
    say('A new database was made, with the workspace "default" and its first user and key:')
    say(`  user     ${firstWorkspace.email}`)
    say(`  API key  ${BOOTSTRAP_API_KEY ? 'the value of BOOTSTRAP_API_KEY' : firstWorkspace.apiKey}`)
    if (!BOOTSTRAP_API_KEY) say('  The key is shown this once; keep it.')
  }
  if (setUpUrl) {
    say('')
    say('Nobody has an account for the dashboard yet. This link makes the first one, once:')
    say(`  ${setUpUrl}`)
  }
  if (ALLOW_INSECURE_URLS) say('ALLOW_INSECURE_URLS is on: callers can reach private addresses through this server. For development only.')
  say('')
  say(`Emissary is ready at ${PUBLIC_URL ?? url}  (API reference: ${PUBLIC_URL ?? url}/docs)`)
}

function stopOnce(work: () => Promise<void>): () => void {
  let stopping = false
  return () => {
    if (stopping) return
    stopping = true
    say('Stopping …')
    setTimeout(() => fail('Could not stop in time.'), STOP_WITHIN_MS).unref()
    work().then(
      () => process.exit(0),
      (error: unknown) => fail(`Could not stop cleanly: ${sentenceOf(error)}`),
    )
  }
}

/** npm passes on SIGINT and SIGTERM only. When it ends otherwise, its child gets another parent. */
function whenParentEnds(stop: () => void): void {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) stop()
  }, LOOK_FOR_PARENT_EVERY_MS).unref()
}

function reasonOf(error: unknown, { PORT, HOST }: Config): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `Port ${PORT} on ${HOST} is in use. Stop what uses it, or set PORT.`
  if (code === 'EACCES') return `This user may not listen on port ${PORT}. Set PORT to one above 1023.`
  return sentenceOf(error)
}

function fail(sentence: string): never {
  complain(sentence)
  process.exit(1)
}
