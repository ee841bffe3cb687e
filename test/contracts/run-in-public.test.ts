// The reverse proxy that docs/run-in-public.md shows hides the paths that are not for the public.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { snippetsOf } from '../helpers/requests/snippets.ts'

/** One path of each kind that is not for the public: operators, monitoring and other nodes use them from inside. */
const INSIDE = ['/metrics', '/admin/v1/workspaces', '/internal/v1/bots/bot_1']
const PUBLIC = ['/', '/api/v1/bots', '/dashboard/v1/session', '/docs', '/healthz', '/join']

/** The patterns of the matcher `@internal`, each a path or a prefix that ends in `*`. */
async function hiddenPatterns(): Promise<readonly string[]> {
  const proxy = (await snippetsOf('docs/run-in-public.md')).find(({ language }) => language === 'caddy')
  expect(proxy?.code).toContain('respond @internal 404')
  return /@internal path (.+)/.exec(proxy?.code ?? '')?.[1]?.split(' ') ?? []
}

const isHidden = (path: string, patterns: readonly string[]) =>
  patterns.some((pattern) => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern))

test('hides the paths that are used from inside, and no other, behind the reverse proxy', async () => {
  const patterns = await hiddenPatterns()
  expect([...INSIDE, ...PUBLIC].filter((path) => isHidden(path, patterns))).toEqual(INSIDE)
})

test('hides the same paths in the Ingress of docs/containers.md', async () => {
  const [line = ''] = /^.*An Ingress or Gateway.*$/m.exec(readFileSync('docs/containers.md', 'utf8')) ?? []
  expect([...line.matchAll(/`(\/[^`]+)`/g)].map(([, path]) => path).toSorted()).toEqual((await hiddenPatterns()).toSorted())
})
