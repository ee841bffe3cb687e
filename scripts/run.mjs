// Runs other programs, and prints the duration of slow steps. Any Node from 20 runs it.
import { spawnSync } from 'node:child_process'

const LARGEST_OUTPUT = 64 * 1024 * 1024

export function timed(step, work) {
  console.log(`emissary: ${step} ...`)
  const begin = performance.now()
  work()
  console.log(`emissary: done in ${Math.ceil((performance.now() - begin) / 1000)} s`)
}

export function run([command, ...args], options = {}) {
  const { status, stdout, stderr, error, signal } = spawnSync(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: LARGEST_OUTPUT,
    ...options,
  })
  const output = error?.message ?? [stdout, stderr, signal && `ended by ${signal}`].filter(Boolean).join('\n').trim()
  return { ok: status === 0, output }
}
