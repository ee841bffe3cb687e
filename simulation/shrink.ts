// Makes a failing scenario smaller: fewer faults, bots and machines, and shorter faults, as long as it still fails in the same way.
import type { Scenario } from './scenario.ts'

export type Fails = (scenario: Scenario) => Promise<boolean>

export async function shrink(scenario: Scenario, fails: Fails, most: number): Promise<Scenario> {
  let smallest = scenario
  let tries = 0
  let changed = true
  while (changed && tries < most) {
    changed = false
    for (const smaller of smallerOnes(smallest)) {
      if (tries === most) break
      tries += 1
      if (!(await fails(smaller))) continue
      smallest = smaller
      changed = true
      break
    }
  }
  return smallest
}

function* smallerOnes(scenario: Scenario): Generator<Scenario> {
  const { bots, faults, machines, skewsMs } = scenario
  for (const list of halves(bots)) if (list.length > 0) yield { ...scenario, bots: list }
  for (const list of halves(faults)) yield { ...scenario, faults: list }
  if (machines > 1) yield { ...scenario, machines: machines - 1 }
  if (skewsMs.some((it) => it !== 0)) yield { ...scenario, skewsMs: skewsMs.map(() => 0) }
  for (const [place, fault] of faults.entries())
    if (fault.forMs > 500) yield { ...scenario, faults: faults.with(place, { ...fault, forMs: Math.round(fault.forMs / 2) }) }
}

/** Without either half, then without each element. */
function* halves<Element>(list: readonly Element[]): Generator<readonly Element[]> {
  const middle = Math.ceil(list.length / 2)
  if (list.length > 2) yield list.slice(0, middle)
  if (list.length > 2) yield list.slice(middle)
  for (let place = 0; place < list.length; place++) yield list.toSpliced(place, 1)
}
