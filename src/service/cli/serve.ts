// emissary serve: runs the service in the foreground.
import { defineCommand } from 'citty'
import { ALL_ROLES } from '../../domain/node-roles.ts'
import { type Config, loadConfig } from '../config.ts'
import type { Service } from '../main.ts'
import { ConfigError } from '../setting-readers.ts'
import { complain, say, sentenceOf } from './terminal.ts'

/** The process exits after this if stopping hangs. */
const STOP_WITHIN_MS = 9_500
const LOOK_FOR_PARENT_EVERY_MS = 500
const STOP_SIGNALS = ['SIGINT', 'SIGHUP'] as const

export const serve = defineCommand({
  meta: { name: 'serve', description: 'Start the service, as `npm start` does.' },
  args: {
    roles: { type: 'string', description: `What this process does: ${ALL_ROLES.join(',')} (default: ROLES, or all).` },
    withParent: { type: 'boolean', description: 'Stop when the process that started it ends.' },
  },
  async run({ args }) {
    const config = readSettings(args.roles)
    // Loaded after the settings are checked, so that an invalid setting is reported at once.
    const { startService } = await import('../main.ts')
    const starting = startService(config, { onProgress: say }).catch((error: unknown) => fail(reasonOf(error, config)))
    // An interrupted start must stop the database that it started.
    const stop = stopOnce(() => starting.then((service) => service.stop()))
    for (const signal of STOP_SIGNALS) process.on(signal, stop)
    process.on('SIGTERM', config.DRAIN_SECONDS > 0 ? drainOnce(() => starting.then((service) => service.drain()), stop) : stop)
    // Writing to a closed terminal fails, but the service still has to stop.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
    if (args.withParent) whenParentEnds(stop)
    greet(await starting, config)
  },
})

function readSettings(roles: string | undefined): Config {
  if (roles?.trim() === '') fail(`--roles must name one or more of ${ALL_ROLES.join(', ')}, separated by commas.`)
  try {
    const config = loadConfig(roles === undefined ? {} : { ROLES: roles })
    return config.LOG_FORMAT === 'auto' ? { ...config, LOG_FORMAT: process.stdout.isTTY ? 'pretty' : 'json' } : config
  } catch (error) {
    if (error instanceof ConfigError) fail(`${error.message}\nSee 'emissary settings'.`)
    throw error
  }
}

function greet({ url, firstWorkspace, setUpUrl }: Service, { PUBLIC_URL, ALLOW_INSECURE_URLS, BOOTSTRAP_API_KEY, ROLES }: Config): void {
  if (firstWorkspace) {
    say('')
    say('Created a new database with the workspace "default", a user and an API key:')
    say(`  user     ${firstWorkspace.email}`)
    say(`  API key  ${BOOTSTRAP_API_KEY ? 'the value of BOOTSTRAP_API_KEY' : firstWorkspace.apiKey}`)
    if (!BOOTSTRAP_API_KEY) say('  Store this key. It is not shown again.')
  }
  if (setUpUrl) {
    say('')
    say('The dashboard has no account yet. Create the first one with this link:')
    say(`  ${setUpUrl}`)
  }
  if (ALLOW_INSECURE_URLS)
    say('ALLOW_INSECURE_URLS is on: callers can reach private addresses through this server. Use it for development only.')
  say('')
  if (ROLES.includes('api')) say(`Emissary is ready at ${PUBLIC_URL ?? url}  (API reference: ${PUBLIC_URL ?? url}/docs)`)
  else say(`Emissary is ready at ${url}  (${ROLES.join(', ')}; health check: ${url}/readyz)`)
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

/** The first signal drains and then stops. The second one stops at once. */
function drainOnce(drain: () => Promise<void>, stop: () => void): () => void {
  let draining = false
  return () => {
    if (draining) return stop()
    draining = true
    say('Draining: no new bots are taken, and running ones end or are handed over. A second signal stops at once …')
    drain()
      .catch((error: unknown) => complain(`Could not drain: ${sentenceOf(error)}`))
      .finally(stop)
  }
}

/** npm forwards only SIGINT and SIGTERM. If npm dies otherwise, this process gets another parent. */
function whenParentEnds(stop: () => void): void {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) stop()
  }, LOOK_FOR_PARENT_EVERY_MS).unref()
}

function reasonOf(error: unknown, { PORT, HOST }: Config): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `Port ${PORT} on ${HOST} is in use. Stop the program that uses it, or set PORT.`
  if (code === 'EACCES') return `This user may not listen on port ${PORT}. Set PORT to a port above 1023.`
  return sentenceOf(error)
}

function fail(sentence: string): never {
  complain(sentence)
  process.exit(1)
}
