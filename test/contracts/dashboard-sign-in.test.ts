// Password guesses at the dashboard: limits per network and e-mail address, also for parallel guesses and for invitations.
import { beforeAll, expect, test } from 'vitest'
import { browserOf, PASSWORD, type TestBrowser } from '../helpers/service/dashboard.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { type Answer, clientOf, WITH_DASHBOARD } from '../helpers/service/service.ts'

const OWNER = { name: 'Ada', email: 'ada@example.com' }
/** Guesses that are tested per network in a minute, and per e-mail address in 15 minutes. */
const MOST_OF_NETWORK = 10
const MOST_OF_EMAIL = 50

const service = serviceForFile({ ...WITH_DASHBOARD, TRUST_PROXY: 'true' })
let owner: TestBrowser
beforeAll(async () => {
  owner = browserOf(service.url)
  await owner.join(service.setUpUrl, OWNER)
})

const post = (path: string, body: object, network: string): Promise<Answer> =>
  clientOf(service.url, null)('POST', `/dashboard/v1${path}`, body, { 'x-forwarded-for': network })

const signIn = (email: string, password: string, network: string) => post('/session', { email, password }, network)

const statusesOf = (answers: readonly Answer[], wanted: number) => answers.filter(({ status }) => status === wanted)

/** A token of an invitation, as its owner sees it. */
async function tokenFor(email: string): Promise<string> {
  const { body } = await owner.ask('POST', `/dashboard/v1/workspaces/${owner.workspaceId()}/invitations`, { email, role: 'member' })
  return body.url.split('#')[1]
}

async function createAccount(email: string): Promise<void> {
  const person = browserOf(service.url)
  await person.join(`#${await tokenFor(email)}`, { name: 'Grace' })
  const { user_id } = (await person.session()).body.workspaces[0]
  await owner.ask('DELETE', `/dashboard/v1/workspaces/${owner.workspaceId()}/people/${user_id}`)
}

test('tests at most ten of sixty wrong passwords that one network sends in parallel', async () => {
  const guesses = Array.from({ length: 60 }, (_, count) => signIn('parallel@example.com', `a wrong guess ${count}`, '192.0.2.1'))
  const answers = await Promise.all(guesses)
  expect(statusesOf(answers, 403).length).toBeLessThanOrEqual(MOST_OF_NETWORK)
  expect(statusesOf(answers, 403).length + statusesOf(answers, 429).length).toBe(60)
  for (const { headers } of statusesOf(answers, 429)) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
})

test('counts wrong passwords at an invitation against the invited e-mail address', async () => {
  const email = 'victim@example.com'
  await createAccount(email)
  const token = await tokenFor(email)
  for (let count = 0; count < MOST_OF_EMAIL; count += 1)
    expect((await post('/invitation/accept', { token, password: `a wrong guess ${count}` }, `198.51.100.${count}`)).status).toBe(403)
  expect((await post('/invitation/accept', { token, password: PASSWORD }, '203.0.113.1')).status).toBe(429)
  expect((await signIn(email, PASSWORD, '203.0.113.2')).status).toBe(429)
})

test('counts wrong passwords at an invitation against the network address', async () => {
  const email = 'victim-of-one-network@example.com'
  await createAccount(email)
  const token = await tokenFor(email)
  const guess = (count: number) => post('/invitation/accept', { token, password: `a wrong guess ${count}` }, '192.0.2.20')
  for (let count = 0; count < MOST_OF_NETWORK; count += 1) expect((await guess(count)).status).toBe(403)
  expect((await guess(MOST_OF_NETWORK)).status).toBe(429)
})

test('does not count right passwords', async () => {
  for (let count = 0; count <= MOST_OF_NETWORK; count += 1) expect((await signIn(OWNER.email, PASSWORD, '192.0.2.30')).status).toBe(200)
})

test('signs a person in while another network floods the sign-in', async () => {
  const flood = Array.from({ length: 100 }, () => signIn(OWNER.email, PASSWORD, '192.0.2.40'))
  const answers = await Promise.all(Array.from({ length: 5 }, (_, count) => signIn(OWNER.email, PASSWORD, `203.0.113.${100 + count}`)))
  expect(statusesOf(answers, 200)).toHaveLength(5)
  const refused = statusesOf(await Promise.all(flood), 429)
  expect(refused.length).toBeGreaterThan(0)
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
})
