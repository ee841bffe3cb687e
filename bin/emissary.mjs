#!/usr/bin/env node
// Starts the command line with a Node that runs TypeScript: the one that npm ci brought, or this one.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const CLI = join(ROOT, 'src', 'cli.ts')
const BUNDLED_NODE = join(ROOT, 'node_modules', '.bin', 'node')
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const runsTypeScript = major > 22 || (major === 22 && minor >= 18)

if (!existsSync(join(ROOT, 'node_modules'))) {
  refuse('The packages are not installed yet. Run `npm start` once, or `node scripts/ready.mjs`.')
} else if (major < 24 && existsSync(BUNDLED_NODE)) {
  handOver()
} else if (runsTypeScript) {
  process.argv[1] = CLI
  await import(pathToFileURL(CLI).href)
} else {
  refuse(`Emissary needs Node 24, and this is ${process.version}. Install it from https://nodejs.org`)
}

function refuse(sentence) {
  console.error(`emissary: ${sentence}`)
  process.exitCode = 1
}

/** Stands in for the other Node: what it gets is passed on, and it ends as the other one ends. */
function handOver() {
  const child = spawn(BUNDLED_NODE, [CLI, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => forward(child, signal))
  child.once('error', (error) => refuse(`${BUNDLED_NODE} does not start: ${error.message}`))
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** A terminal sends Ctrl-C to both of us, and a second one would mean "at once". */
function forward(child, signal) {
  const fromTerminal = signal === 'SIGINT' && process.stdin.isTTY
  if (!fromTerminal) child.kill(signal)
}
