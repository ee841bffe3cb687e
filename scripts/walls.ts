// Checks the import rules of .dependency-cruiser.cjs, and that the checker saw the modules of every folder.
import { spawnSync } from 'node:child_process'

/** The least number of modules per folder. A checker that cannot parse TypeScript sees none and reports no violation. */
const LEAST_MODULES: Readonly<Record<string, number>> = {
  src: 50,
  'web/src': 20,
  bench: 20,
  sims: 50,
  simulation: 10,
  test: 50,
  scripts: 1,
}

const folders = Object.keys(LEAST_MODULES)
const cruise = spawnSync('depcruise', [...folders, '--config', '.dependency-cruiser.cjs', '--output-type', 'json'], {
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
})
if (cruise.error) throw cruise.error
const { summary, modules } = JSON.parse(cruise.stdout) as {
  summary: { error: number; violations: { rule: { name: string }; from: string; to: string }[] }
  modules: { source: string }[]
}
const counts = folders.map((folder) => [folder, modules.filter(({ source }) => source.startsWith(`${folder}/`)).length] as const)
const unseen = counts.filter(([folder, count]) => count < (LEAST_MODULES[folder] ?? 0))
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`)
for (const [folder, count] of unseen) console.error(`walls: saw ${count} modules in ${folder}, expected at least ${LEAST_MODULES[folder]}`)
if (summary.error > 0 || unseen.length > 0) process.exit(1)
console.log(`walls: ${counts.map(([folder, count]) => `${count} modules in ${folder}`).join(', ')}, no import rule broken`)
