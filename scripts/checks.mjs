// Runs all static checks in parallel, and prints the output of each when it ends.
import { spawn } from 'node:child_process'

const CHECKS = ['types', 'lint', 'walls', 'unused', 'words', 'manifests', 'commits']

const outcomes = await Promise.all(CHECKS.map(run))
process.exitCode = outcomes.every((isGood) => isGood) ? 0 : 1

/** Runs the npm script of this name. True: it found no problem. */
function run(name) {
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  return new Promise((resolve) => {
    child.on('error', (error) => output.push(`${error.message}\n`))
    child.on('close', (code) => {
      process.stdout.write(`${name}: ${code === 0 ? 'good' : 'FAILED'}\n${Buffer.concat(output.map(Buffer.from))}`)
      resolve(code === 0)
    })
  })
}
