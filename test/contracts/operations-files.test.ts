// docs/observability.md and the files in ops/ name metrics that exist, and the page lists all of them.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createLog } from '../../src/kit/log.ts'
import { openPool } from '../../src/service/db/database.ts'
import { startOperations } from '../../src/service/operations/start-operations.ts'

const PAGE = readFileSync('docs/observability.md', 'utf8')

/** As registered, with their suffixes as Prometheus stores them. */
async function ownMetrics(): Promise<ReadonlyMap<string, readonly string[]>> {
  const db = openPool({ connection: { url: 'postgres://nobody@127.0.0.1:9/none' }, connections: 1, onError: () => undefined })
  const { metrics, watchSeats } = await startOperations(
    { db, log: createLog({ level: 'silent', pretty: false }), nodeId: 'node_1', version: '0', otlpEndpoint: undefined },
    [],
  )
  watchSeats(() => ({ seats: 0, freeSeats: 0 }))
  const known = await metrics.registry.getMetricsAsJSON()
  await db.destroy()
  const own = known.filter(({ name }) => name.startsWith('emissary_'))
  return new Map(
    own.map(({ name, type }) => [name, String(type) === 'histogram' ? ['_bucket', '_sum', '_count'].map((it) => name + it) : [name]]),
  )
}

test('lists every metric once in docs/observability.md', async () => {
  const listed = [...PAGE.matchAll(/^\| `(emissary_\w+)`/gm)].map(([, name]) => name)
  expect(listed.toSorted()).toEqual([...(await ownMetrics()).keys()].toSorted())
})

test('queries in docs/observability.md name series that exist', async () => {
  const series = [...(await ownMetrics()).values()].flat()
  const questions = PAGE.slice(PAGE.indexOf('## Questions'), PAGE.indexOf('## Exemplars'))
  const named = [...questions.matchAll(/emissary_\w+/g)].map(([name]) => name)
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((name) => !series.includes(name))).toEqual([])
})

const seriesIn = (text: string): readonly string[] => [...text.matchAll(/emissary_\w+/g)].map(([name]) => name)

test('shows every metric in the Grafana dashboard, and no other', async () => {
  const own = await ownMetrics()
  const { panels } = JSON.parse(readFileSync('ops/grafana/emissary.json', 'utf8')) as {
    panels: { targets?: { expr: string }[]; title: string; description?: string }[]
  }
  const shown = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => seriesIn(expr)))
  expect(shown.filter((name) => ![...own.values()].flat().includes(name))).toEqual([])
  expect([...own].filter(([, series]) => !series.some((name) => shown.includes(name))).map(([name]) => name)).toEqual([])
})

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook', string>>
}

test('names series that exist in every alert, with what to do, and lists it in docs/observability.md', async () => {
  const series = [...(await ownMetrics()).values()].flat()
  const { groups } = parse(readFileSync('ops/prometheus/alerts.yaml', 'utf8')) as { groups: { rules: Rule[] }[] }
  const rules = groups.flatMap((group) => group.rules)
  expect(rules.flatMap(({ expr }) => seriesIn(expr)).filter((name) => !series.includes(name))).toEqual([])
  for (const { alert, annotations } of rules)
    expect(
      Object.entries(annotations).filter(([, text]) => text.length > 10),
      alert,
    ).toHaveLength(3)
  const listed = [...PAGE.matchAll(/^\| `(Emissary\w+)` \| (\w+) \|/gm)].map(([, name, severity]) => [name, severity])
  expect(listed).toEqual(rules.map(({ alert, labels }) => [alert, labels.severity]))
})
