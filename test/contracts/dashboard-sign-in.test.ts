// Password guesses at the dashboard: the limit holds for parallel guesses.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browserOf, PASSWORD, type TestBrowser } from '../helpers/dashboard.ts'
import { type Answer, clientOf, startTestService, type TestService, WITH_DASHBOARD } from '../helpers/service.ts'

const OWNER = { name: 'Ada', email: 'ada@example.com' }
/** Guesses that are tested per network in a minute. */
const MOST_OF_NETWORK = 10

let service: TestService
let owner: TestBrowser
beforeAll(async () => {
  service = await startTestService({ ...WITH_DASHBOARD, TRUST_PROXY: 'true' })
  owner = browserOf(service.url)
  await owner.join(service.setUpUrl, OWNER)
})
afterAll(() => service.stop())

const post = (path: string, body: object, network: string): Promise<Answer> =>
  clientOf(service.url, null)('POST', `/dashboard/v1${path}`, body, { 'x-forwarded-for': network })

const signIn = (email: string, password: string, network: string) => post('/session', { email, password }, network)

const statusesOf = (answers: readonly Answer[], wanted: number) => answers.filter(({ status }) => status === wanted)

test('tests at most ten of sixty wrong passwords that one network sends in parallel', async () => {
  const guesses = Array.from({ length: 60 }, (_, count) => signIn('parallel@example.com', `a wrong guess ${count}`, '192.0.2.1'))
  const answers = await Promise.all(guesses)
  expect(statusesOf(answers, 403).length).toBeLessThanOrEqual(MOST_OF_NETWORK)
  expect(statusesOf(answers, 403).length + statusesOf(answers, 429).length).toBe(60)
  for (const { headers } of statusesOf(answers, 429)) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
})

test('does not count right passwords', async () => {
  for (let count = 0; count <= MOST_OF_NETWORK; count += 1) expect((await signIn(OWNER.email, PASSWORD, '192.0.2.30')).status).toBe(200)
})
