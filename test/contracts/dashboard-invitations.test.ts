// Invitations do not reveal whether an e-mail address has an account on this server.
import { beforeAll, expect, test } from 'vitest'
import { browserOf, inviteTo, PASSWORD, type TestBrowser } from '../helpers/service/dashboard.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { type Answer, clientOf, WITH_DASHBOARD } from '../helpers/service/service.ts'

const STRANGER = 'stranger@example.com'

const service = serviceForFile({ ...WITH_DASHBOARD, TRUST_PROXY: 'true' })
let owner: TestBrowser
/** The address of a person with an account, who is in another workspace. */
let known: string
beforeAll(async () => {
  owner = browserOf(service.url)
  await owner.join(service.setUpUrl, { name: 'Ada', email: 'ada@example.com' })
  const person = await inviteTo(owner, 'member')
  known = (await person.session()).body.person.email
  const { body } = await owner.ask('POST', '/dashboard/v1/workspaces', { name: 'Second' })
  owner.choose(body.workspace_id)
})

async function tokenFor(email: string): Promise<string> {
  const { body } = await owner.ask('POST', `/dashboard/v1/workspaces/${owner.workspaceId()}/invitations`, { email, role: 'viewer' })
  return body.url.split('#')[1]
}

let networks = 0
/** Each request is from another network, so that no limit is reached. */
function post(path: string, body: object): Promise<Answer> {
  networks += 1
  return clientOf(service.url, null)('POST', `/dashboard/v1${path}`, body, { 'x-forwarded-for': `192.0.2.${networks}` })
}

const accept = (token: string, body: object) => post('/invitation/accept', { token, ...body })

test('answers the same about the invitation of an address with an account and of one without', async () => {
  const [about, aboutStranger] = [await tokenFor(known), await tokenFor(STRANGER)]
  const { body } = await post('/invitation', { token: about })
  expect(body).toEqual({ workspace_name: 'Second', email: known, role: 'viewer' })
  expect((await post('/invitation', { token: aboutStranger })).body).toEqual({ ...body, email: STRANGER })
})

test('answers an unknown account like a wrong password, and creates no account', async () => {
  const token = await tokenFor(STRANGER)
  const refused = await accept(token, { has_account: true, password: PASSWORD })
  const wrong = await accept(await tokenFor(known), { has_account: true, password: 'a wrong guess' })
  expect(refused).toMatchObject({ status: 403, body: wrong.body })
  expect((await accept(token, { name: 'Stranger', password: PASSWORD })).status).toBe(200)
})

test('answers a new account for an address with an account like a wrong password', async () => {
  const token = await tokenFor(known)
  const answers = [
    await accept(token, { has_account: false, name: 'Mallory', password: 'a new password' }),
    await accept(token, { has_account: true, password: 'a wrong guess' }),
  ]
  expect(answers[0]?.body).toEqual(answers[1]?.body)
  expect(answers.map(({ status }) => status)).toEqual([403, 403])
})

test('adds a person with an account by their password, and keeps their name', async () => {
  const { status, body } = await accept(await tokenFor(known), { has_account: true, password: PASSWORD })
  expect(status).toBe(200)
  expect(body).toMatchObject({ person: { email: known, name: 'member' }, workspaces: [{ name: 'Second' }, { name: 'default' }] })
})
