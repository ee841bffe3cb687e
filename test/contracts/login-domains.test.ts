// Login domains and their logins: add, list, change and delete.
import { beforeAll, describe, expect, test } from 'vitest'
import { secretsOf } from '../helpers/meetings/google-login.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import type { Client } from '../helpers/service/service.ts'

const service = serviceForFile({ BOT_WORKERS: '0' })
let api: Client
beforeAll(async () => {
  api = service.api
})

const KINDS = [
  { path: 'google', domainField: 'sso_workspace_domain', secrets: secretsOf(), ssoDomain: 'visible.example', perLogin: 30 },
  { path: 'teams', domainField: 'domain', secrets: { password: 'PRIVATE' }, ssoDomain: null, perLogin: 1 },
]

describe.each(KINDS)('$path', ({ path, domainField, secrets, ssoDomain, perLogin }) => {
  const domains = `/api/v1/${path}-login-domains`
  const logins = `/api/v1/${path}-logins`

  test('registers, reads, changes and deletes login domains', async () => {
    const added = await api('POST', domains, { [domainField]: 'Acme.example', name: 'Acme', login_mode: 'if_required' })
    expect(added.status).toBe(201)
    expect(added.body).toMatchObject({
      domain: 'acme.example',
      name: 'Acme',
      login_mode: 'if_required',
      login_count: 0,
      active_login_count: 0,
    })
    expect((await api('POST', domains, { [domainField]: 'acme.example' })).status).toBe(409)
    expect((await (await service.stranger())('POST', domains, { [domainField]: 'acme.example' })).status).toBe(409)
    for (const domain of ['', 'no dots', 'a..b', 7]) expect((await api('POST', domains, { [domainField]: domain })).status).toBe(400)
    expect((await api('PATCH', `${domains}/acme.example`, { login_mode: 'always' })).body.login_mode).toBe('always')
    expect((await api('PATCH', `${domains}/acme.example`, { login_mode: 'never' })).status).toBe(400)
    expect((await api('GET', domains)).body.domains).toHaveLength(1)
    expect((await api('DELETE', `${domains}/acme.example`)).status).toBe(200)
    expect((await api('GET', `${domains}/acme.example`)).status).toBe(404)
  })

  test('lists domains and logins with their SSO domain and the meetings per login', async () => {
    await api('POST', domains, { [domainField]: 'visible.example' })
    await api('POST', logins, { domain: 'visible.example', email: 'bot@visible.example', ...secrets })
    const listed = { domain: 'visible.example', sso_workspace_domain: ssoDomain, max_concurrent_per_login: perLogin }
    expect((await api('GET', logins)).body.logins).toContainEqual(expect.objectContaining({ ...listed, email: 'bot@visible.example' }))
    expect((await api('GET', domains)).body.domains).toContainEqual(expect.objectContaining(listed))
  })

  test('activates a refused login when its secret is changed, unless is_active is false', async () => {
    await api('POST', domains, { [domainField]: 'renewed.example' })
    const { body } = await api('POST', logins, { domain: 'renewed.example', email: 'bot@renewed.example', ...secrets })
    const change = (fields: object) => api('PATCH', `${logins}/${body.login_id}`, fields)
    const refuse = () =>
      service.db.updateTable('logins').set({ is_active: false, last_error: 'refused' }).where('id', '=', body.login_id).execute()
    await refuse()
    expect((await change(secrets)).body).toMatchObject({ is_active: true, last_login_error: null })
    await refuse()
    expect((await change({ ...secrets, is_active: false })).body).toMatchObject({ is_active: false, last_login_error: null })
  })

  test('never answers a secret of a login', async () => {
    await api('POST', domains, { [domainField]: 'secret.example' })
    const added = await api('POST', logins, { domain: 'secret.example', email: 'bot@secret.example', ...secrets })
    expect(added.status).toBe(201)
    expect(added.body).toMatchObject({
      domain: 'secret.example',
      email: 'bot@secret.example',
      is_active: true,
      active_sessions: 0,
      lease_status: 'free',
      last_login_error: null,
    })
    expect((await api('POST', logins, { domain: 'secret.example', email: 'bot@secret.example', ...secrets })).status).toBe(409)
    expect((await api('POST', logins, { domain: 'secret.example', email: 'no address', ...secrets })).status).toBe(400)
    expect((await api('POST', logins, { domain: 'secret.example', email: 'b@secret.example' })).status).toBe(400)
    expect((await api('POST', logins, { domain: 'other.example', email: 'b@other.example', ...secrets })).status).toBe(404)
    const changed = await api('PATCH', `${logins}/${added.body.login_id}`, { is_active: false, ...secrets })
    expect(changed.body.is_active).toBe(false)
    expect(await api('GET', `${logins}/${added.body.login_id}`)).toMatchObject({ status: 200, body: changed.body })
    expect((await api('GET', `${logins}/lgn_unknown`)).status).toBe(404)
    expect((await (await service.stranger())('GET', `${logins}/${added.body.login_id}`)).status).toBe(404)
    const domain = (await api('GET', `${domains}/secret.example`)).body
    expect(domain).toMatchObject({ login_count: 1, active_login_count: 0, logins: [changed.body], limits: { total_sessions: 0 } })
    expect((await api('GET', domains)).body.domains).toContainEqual(domain)
    const everything = JSON.stringify([added.body, changed.body, domain, (await api('GET', logins)).body])
    expect(everything).not.toContain('PRIVATE')
    const stored = await service.db.selectFrom('logins').select('secret').where('id', '=', added.body.login_id).executeTakeFirstOrThrow()
    expect(stored.secret.toString('latin1')).not.toContain('PRIVATE')
    expect((await api('DELETE', `${logins}/${added.body.login_id}`)).status).toBe(200)
    expect((await api('DELETE', `${logins}/${added.body.login_id}`)).status).toBe(404)
  })
})
