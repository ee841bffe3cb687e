// The report of the `capture` bench: costs side by side, their parts, and proof that both methods recorded.
import type { Cost } from '../harness/processes.ts'
import { atMost, largestRows, none, type Report, unless } from '../harness/report.ts'

/** Smaller figures of threads are noise. */
const LEAST_SHOWN = 0.1

type Row = Readonly<Record<string, number | string>>

export type Window = { readonly cost: Cost; readonly proof: Row; readonly lost: boolean }

export type Method = { readonly what: string; readonly bots: number; readonly windows: readonly Window[] }

type Methods = Readonly<Record<'alone' | 'filmed' | 'atOnce' | 'filmedSmall', Method>>

/** A screen recording that lost frames did less work than a whole one, so no ratio to it is valid. */
export function filmVoids(films: readonly Window[]): readonly string[] {
  return films
    .filter(({ lost }) => lost)
    .map(({ proof }) => {
      const kept = `${Number(proof['seconds kept']).toFixed(1)} of ${Number(proof['seconds filmed']).toFixed(1)} s`
      const [rate, shown] = ['pictures/s kept', 'pictures/s of a camera'].map((what) => `${Number(proof[what]).toFixed(1)} pictures/s`)
      return `A filmed screen kept ${kept}, at ${rate}, and showed ${shown} of each camera. Its figure is too low, so every ratio to it is wrong. Run nothing beside the bench, or take more cores.`
    })
}

export function captureReport(
  methods: Methods,
  headed: readonly Method[],
  { machine, profile }: { readonly machine: Readonly<Record<string, Row>>; readonly profile: boolean },
): Report {
  const { alone, filmed, atOnce, filmedSmall } = methods
  const cpu = (method: Method) => typical(method, ({ cpuPerMinute }) => cpuPerMinute)
  const memory = (method: Method) => typical(method, ({ pssMb }) => pssMb)
  const all = [...Object.values(methods), ...headed]
  const voids = filmVoids([...filmed.windows, ...filmedSmall.windows])
  const ratio = (what: string, value: number, limit: number) => unless(voids.length > 0, atMost(what, value, limit, 'x'))
  const headlessLike = (method: Method): Method => (method.bots === 1 ? alone : atOnce)
  return {
    figures: {
      'cost of one bot': Object.fromEntries(all.map((method) => [method.what, costRow(method)])),
      'CPU s/min by program': programTable(all, ({ byProgram }) => byProgram),
      ...(profile && {
        'CPU s/min by thread': largestRows(
          programTable(all, ({ byThread }) => byThread),
          LEAST_SHOWN,
        ),
      }),
      'PSS MB by program': programTable(all, ({ pssByProgram }) => pssByProgram),
      'every window': Object.fromEntries(all.flatMap(windowRows)),
      ratio: {
        'one bot alone': { CPU: cpu(alone) / cpu(filmed), memory: memory(alone) / memory(filmed) },
        'each of 4 bots': { CPU: cpu(atOnce) / cpu(filmedSmall), memory: memory(atOnce) / memory(filmedSmall) },
        ...Object.fromEntries(
          headed.map((method) => [
            `${method.what} to headless`,
            { CPU: cpu(method) / cpu(headlessLike(method)), memory: memory(method) / memory(headlessLike(method)) },
          ]),
        ),
      },
      machine,
    },
    budgets: [
      ratio('one bot alone, CPU with Node', cpu(alone) / cpu(filmed), 0.33),
      ratio('one bot alone, memory', memory(alone) / memory(filmed), 0.65),
      ratio('each of 4 bots in one worker, CPU with Node', cpu(atOnce) / cpu(filmedSmall), 0.2),
      ratio('each of 4 bots in one worker, memory', memory(atOnce) / memory(filmedSmall), 0.35),
      none(
        'windows in which our bots lost frames',
        [alone, atOnce, ...headed].map(lostIn).reduce((sum, lost) => sum + lost, 0),
      ),
      none('films that lost frames', voids.length),
    ],
    voids,
  }
}

function costRow(method: Method): Row {
  const share = (fits: (program: string) => boolean) =>
    typical(method, ({ byProgram }) =>
      Object.entries(byProgram)
        .filter(([program]) => fits(program))
        .reduce((sum, [, spent]) => sum + spent, 0),
    )
  const isNode = (program: string) => program.startsWith('node')
  const isBrowser = (program: string) => program.startsWith('chrom')
  return {
    'CPU s/min': typical(method, ({ cpuPerMinute }) => cpuPerMinute),
    node: share(isNode),
    browser: share(isBrowser),
    tools: share((program) => !isNode(program) && !isBrowser(program)),
    'PSS MB': typical(method, ({ pssMb }) => pssMb),
    processes: typical(method, ({ processes }) => processes),
    'lost frames': lostIn(method) > 0 ? `LOST in ${lostIn(method)} of ${method.windows.length}` : 'none',
  }
}

function programTable(
  methods: readonly Method[],
  figures: (cost: Cost) => Readonly<Record<string, number>>,
): Readonly<Record<string, Row>> {
  const names = methods.flatMap(({ windows }) => windows.flatMap(({ cost }) => Object.keys(figures(cost))))
  const rowOf = (program: string) =>
    Object.fromEntries(methods.map((method) => [method.what, typical(method, (cost) => figures(cost)[program] ?? 0)]))
  return Object.fromEntries([...new Set(names)].sort().map((program) => [program, rowOf(program)]))
}

function windowRows({ what, bots, windows }: Method): readonly (readonly [string, Row])[] {
  return windows.map(({ cost, proof, lost }, index) => {
    const row = { 'CPU s/min': cost.cpuPerMinute / bots, 'PSS MB': cost.pssMb / bots, ...proof, ...(lost && { lost: 'LOST' }) }
    return [`${what} (${index + 1})`, row] as const
  })
}

function lostIn({ windows }: Method): number {
  return windows.filter(({ lost }) => lost).length
}

/** The median over the windows, for one bot. */
function typical({ windows, bots }: Method, figure: (cost: Cost) => number): number {
  const sorted = windows.map(({ cost }) => figure(cost) / bots).sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}
