// The result of a bench: figures in tables, and budgets that are kept or missed.

type Value = number | string
/** Row to column to value. */
export type Table = Readonly<Record<string, Readonly<Record<string, Value>>>>

export type Budget = { readonly what: string; readonly value: number; readonly budget: string; readonly ok: boolean }

export type Report = {
  readonly figures: Readonly<Record<string, Table>>
  readonly budgets: readonly Budget[]
  /** A sentence for each reason why the run proves nothing. */
  readonly voids?: readonly string[]
}

export function atLeast(what: string, value: number, limit: number, unit = ''): Budget {
  return { what, value: rounded(value), budget: `>= ${shown(limit)}${unit}`, ok: value >= limit }
}

export function atMost(what: string, value: number, limit: number, unit = ''): Budget {
  return { what, value: rounded(value), budget: `<= ${shown(limit)}${unit}`, ok: value <= limit }
}

/** A budget of a run that proves nothing is not kept. */
export function unless(isVoid: boolean, budget: Budget): Budget {
  return isVoid ? { ...budget, ok: false } : budget
}

/** For events that must never happen. */
export function none(what: string, value: number): Budget {
  return { what, value, budget: '0', ok: value === 0 }
}

/** The rows with a figure of at least `least`, the largest first. */
export function largestRows(table: Table, least: number): Table {
  const sizeOf = (row: Table[string]) => Math.max(...Object.values(row).map(Number))
  const rows = Object.entries(table).map(([name, row]) => ({ name, row, size: sizeOf(row) }))
  const shown = rows.filter(({ size }) => size >= least).sort((a, b) => b.size - a.size)
  return Object.fromEntries(shown.map(({ name, row }) => [name, row]))
}

export function asText(name: string, { figures, budgets, voids = [] }: Report): string {
  const tables = Object.entries(figures).map(([title, table]) => tableText(title, table))
  const judged = budgets.map(({ what, value, budget, ok }) => [what, shown(value), budget, ok ? 'ok' : 'MISSED'])
  const missed = budgets.filter(({ ok }) => !ok).length
  const verdict = missed === 0 ? 'All budgets are kept.' : `${missed} of ${budgets.length} budgets MISSED.`
  const end = [verdict, ...voids.map((why) => `VOID: ${why}`)]
  return [`bench ${name}`, ...tables, aligned([['budget', 'measured', 'allowed', ''], ...judged]), ...end].join('\n\n')
}

export function asJson(name: string, { figures, budgets, voids = [] }: Report): string {
  return JSON.stringify({ name, figures, budgets, voids }, (_key, value: unknown) => (typeof value === 'number' ? rounded(value) : value))
}

function tableText(title: string, table: Table): string {
  const columns = [...new Set(Object.values(table).flatMap((row) => Object.keys(row)))]
  const rows = Object.entries(table).map(([name, row]) => [name, ...columns.map((column) => shown(row[column] ?? ''))])
  return aligned([[title, ...columns], ...rows])
}

/** The first column aligned left, the others right, and a rule under the head. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, column) => fitted(cell, widths[column] ?? 0, column)).join('  '))
  return [lines[0], '-'.repeat(lines[0]?.length ?? 0), ...lines.slice(1)].join('\n')
}

function fitted(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

function shown(value: Value): string {
  return typeof value === 'string' ? value : rounded(value).toLocaleString('en-US', { maximumFractionDigits: 4 })
}

/** Three digits, because a noisy machine gives no more. */
function rounded(value: number): number {
  return Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(3))
}
