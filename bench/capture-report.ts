// What the `capture` bench tells: costs side by side, where they go, and that both ways really recorded.
import type { Cost } from './processes.ts'
import { atMost, none, type Report } from './report.ts'

type Row = Readonly<Record<string, number | string>>

export type Window = { readonly cost: Cost; readonly proof: Row; readonly lost: boolean }

export type Way = { readonly what: string; readonly bots: number; readonly windows: readonly Window[] }

type Ways = Readonly<Record<'alone' | 'filmed' | 'together' | 'filmedSmall', Way>>

/** Where the filmed screen lost frames it did less than it should: the ratios are then higher than the truth. It is told, and no budget. */
export function captureReport(ways: Ways, headed: readonly Way[], machine: Readonly<Record<string, Row>>): Report {
  const { alone, filmed, together, filmedSmall } = ways
  const cpu = (way: Way) => typical(way, ({ cpuPerMinute }) => cpuPerMinute)
  const memory = (way: Way) => typical(way, ({ pssMb }) => pssMb)
  const all = [...Object.values(ways), ...headed]
  const beside = (way: Way): Way => (way.bots === 1 ? alone : together)
  return {
    figures: {
      'cost of one bot': Object.fromEntries(all.map((way) => [way.what, costRow(way)])),
      'CPU s/min by program': programTable(all, ({ byProgram }) => byProgram),
      'PSS MB by program': programTable(all, ({ pssByProgram }) => pssByProgram),
      'every window': Object.fromEntries(all.flatMap(windowRows)),
      ratio: {
        'one bot alone': { CPU: cpu(alone) / cpu(filmed), memory: memory(alone) / memory(filmed) },
        'each of 4 bots': { CPU: cpu(together) / cpu(filmedSmall), memory: memory(together) / memory(filmedSmall) },
        ...Object.fromEntries(
          headed.map((way) => [`${way.what} to headless`, { CPU: cpu(way) / cpu(beside(way)), memory: memory(way) / memory(beside(way)) }]),
        ),
      },
      machine,
    },
    budgets: [
      atMost('one bot alone, CPU with Node', cpu(alone) / cpu(filmed), 0.4, 'x'),
      atMost('one bot alone, memory', memory(alone) / memory(filmed), 0.65, 'x'),
      atMost('each of 4 bots in one host, CPU with Node', cpu(together) / cpu(filmedSmall), 0.3, 'x'),
      atMost('each of 4 bots in one host, memory', memory(together) / memory(filmedSmall), 0.35, 'x'),
      none(
        'windows in which our bots lost frames',
        [alone, together, ...headed].map(lostIn).reduce((sum, lost) => sum + lost, 0),
      ),
    ],
  }
}

function costRow(way: Way): Row {
  const share = (fits: (program: string) => boolean) =>
    typical(way, ({ byProgram }) =>
      Object.entries(byProgram)
        .filter(([program]) => fits(program))
        .reduce((sum, [, spent]) => sum + spent, 0),
    )
  const isNode = (program: string) => program.startsWith('node')
  const isBrowser = (program: string) => program.startsWith('chrom')
  return {
    'CPU s/min': typical(way, ({ cpuPerMinute }) => cpuPerMinute),
    node: share(isNode),
    browser: share(isBrowser),
    tools: share((program) => !isNode(program) && !isBrowser(program)),
    'PSS MB': typical(way, ({ pssMb }) => pssMb),
    processes: typical(way, ({ processes }) => processes),
    'lost frames': lostIn(way) > 0 ? `LOST in ${lostIn(way)} of ${way.windows.length}` : 'none',
  }
}

function programTable(ways: readonly Way[], figures: (cost: Cost) => Readonly<Record<string, number>>): Readonly<Record<string, Row>> {
  const names = ways.flatMap(({ windows }) => windows.flatMap(({ cost }) => Object.keys(figures(cost))))
  const rowOf = (program: string) => Object.fromEntries(ways.map((way) => [way.what, typical(way, (cost) => figures(cost)[program] ?? 0)]))
  return Object.fromEntries([...new Set(names)].sort().map((program) => [program, rowOf(program)]))
}

function windowRows({ what, bots, windows }: Way): readonly (readonly [string, Row])[] {
  return windows.map(({ cost, proof, lost }, index) => {
    const row = { 'CPU s/min': cost.cpuPerMinute / bots, 'PSS MB': cost.pssMb / bots, ...proof, ...(lost && { lost: 'LOST' }) }
    return [`${what} (${index + 1})`, row] as const
  })
}

function lostIn({ windows }: Way): number {
  return windows.filter(({ lost }) => lost).length
}

/** The median over the windows, for one bot. */
function typical({ windows, bots }: Way, figure: (cost: Cost) => number): number {
  const sorted = windows.map(({ cost }) => figure(cost) / bots).sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}
