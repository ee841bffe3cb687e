// Everything that reads the code instead of running it, side by side. What each says is printed when it ends.
import { spawn } from 'node:child_process'

const CHECKS = ['types', 'lint', 'walls', 'unused']

const outcomes = await Promise.all(CHECKS.map(run))
process.exitCode = outcomes.every((isGood) => isGood) ? 0 : 1

/** Whether the npm script of this name found nothing. */
function run(name) {
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] })
  const said = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk))
  return new Promise((resolve) => {
    child.on('error', (error) => said.push(`${error.message}\n`))
    child.on('close', (code) => {
      process.stdout.write(`${name}: ${code === 0 ? 'good' : 'FAILED'}\n${Buffer.concat(said.map(Buffer.from))}`)
      resolve(code === 0)
    })
  })
}
