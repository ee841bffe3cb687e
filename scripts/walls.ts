// Checks the walls of .dependency-cruiser.cjs, and that the checker really saw the house.
import { spawnSync } from 'node:child_process'

const LEAST_MODULES = 50

const cruise = spawnSync('depcruise', ['src', 'web/src', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'], {
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
})
if (cruise.error) throw cruise.error
const { summary, modules } = JSON.parse(cruise.stdout) as {
  summary: { error: number; violations: { rule: { name: string }; from: string; to: string }[] }
  modules: { source: string }[]
}
const ours = modules.filter(({ source }) => source.startsWith('src/')).length
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`)
// With a TypeScript it cannot read, the cruiser sees nothing and finds everything in order.
if (ours < LEAST_MODULES) console.error(`walls: only ${ours} modules were seen, expected at least ${LEAST_MODULES}`)
if (summary.error > 0 || ours < LEAST_MODULES) process.exit(1)
console.log(`walls: ${ours} modules, no wall broken`)
