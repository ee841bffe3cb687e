// Accounts that bots sign in with: domains with the logins of each, and the workspace's own apps.
import type { ReactNode } from 'react'
import * as api from '../../api/sdk.gen.ts'
import type { LoginDomain } from '../../api/types.gen.ts'
import { type Change, useChange, useNamedQuery } from '../../reload.ts'
import { ask } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Area, Button, Field, Form, SureButton, Switch, type Typed } from '../../ui/form.tsx'
import { Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { Apps } from './apps.tsx'

/** The differences between the two platforms. */
type Kind = {
  readonly title: string
  readonly list: () => Promise<{ domains: LoginDomain[] }>
  readonly addDomain: (domain: string) => Promise<unknown>
  readonly removeDomain: (domain: string) => Promise<unknown>
  readonly addLogin: (domain: string, typed: Typed) => Promise<unknown>
  readonly setActive: (login: string, isActive: boolean) => Promise<unknown>
  readonly removeLogin: (login: string) => Promise<unknown>
  readonly secrets: ReactNode
}

const at = (login_id: string) => ({ path: { login_id } })

const GOOGLE: Kind = {
  title: 'Google Meet',
  list: () => ask(api.listGoogleLoginDomains()),
  addDomain: (domain) => ask(api.addGoogleLoginDomain({ body: { sso_workspace_domain: domain } })),
  removeDomain: (domain) => ask(api.deleteGoogleLoginDomain({ path: { domain } })),
  addLogin: (domain, { email = '', key = '', certificate = '' }) =>
    ask(api.addGoogleLogin({ body: { domain, email, sso_private_key_pem: key, sso_cert_pem: certificate } })),
  setActive: (login, is_active) => ask(api.updateGoogleLogin({ ...at(login), body: { is_active } })),
  removeLogin: (login) => ask(api.deleteGoogleLogin(at(login))),
  secrets: (
    <>
      <Area label="Private key (PEM)" name="key" required />
      <Area label="Certificate (PEM)" name="certificate" required />
    </>
  ),
}

const TEAMS: Kind = {
  title: 'Microsoft Teams',
  list: () => ask(api.listTeamsLoginDomains()),
  addDomain: (domain) => ask(api.addTeamsLoginDomain({ body: { domain } })),
  removeDomain: (domain) => ask(api.deleteTeamsLoginDomain({ path: { domain } })),
  addLogin: (domain, { email = '', password = '' }) => ask(api.addTeamsLogin({ body: { domain, email, password } })),
  setActive: (login, is_active) => ask(api.updateTeamsLogin({ ...at(login), body: { is_active } })),
  removeLogin: (login) => ask(api.deleteTeamsLogin(at(login))),
  secrets: <Field label="Password" name="password" type="password" required autoComplete="off" />,
}

export function Logins() {
  return (
    <>
      {[GOOGLE, TEAMS].map((kind) => (
        <Domains key={kind.title} kind={kind} />
      ))}
      <Apps />
    </>
  )
}

function Domains({ kind }: { kind: Kind }) {
  const { role } = useWorkspace()
  const mayChange = role !== 'viewer'
  const domains = useNamedQuery(['logins', kind.title], kind.list)
  const change = useChange('logins', kind.title)
  return (
    <Section title={kind.title} lead="Accounts that bots sign in with. Their secrets are write-only.">
      <Problem error={change.error} />
      <Await query={domains}>
        {({ domains: list }) =>
          list.map((domain) => <Domain key={domain.domain} kind={kind} domain={domain} mayChange={mayChange} change={change.mutate} />)
        }
      </Await>
      {mayChange && (
        <Form className="flex items-end gap-3" onSend={({ domain = '' }) => change.mutate(() => kind.addDomain(domain))}>
          <div className="flex-1">
            <Field label="Another domain" name="domain" placeholder="bots.example.com" required />
          </div>
          <Button type="submit" label="Add" />
        </Form>
      )}
    </Section>
  )
}

type DomainProps = {
  readonly kind: Kind
  readonly domain: LoginDomain
  readonly mayChange: boolean
  readonly change: Change
}

function Domain({ kind, domain: { domain, logins, limits }, mayChange, change }: DomainProps) {
  return (
    <article className="card p-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <p className="font-medium">{domain}</p>
          <p className="text-soft text-[13px]">
            {limits.active_sessions} of {limits.total_sessions} sessions in use
          </p>
        </div>
        {mayChange && <SureButton label="Remove" sure="With all its logins?" onSure={() => change(() => kind.removeDomain(domain))} />}
      </div>
      <ul className="mt-3">
        {logins.map((login) => (
          <li key={login.login_id} className="border-line flex flex-wrap items-center gap-x-4 gap-y-2 border-t py-2.5">
            <div className="min-w-40 flex-1">
              <p className="truncate">{login.email}</p>
              {login.last_login_error && <p className="text-bad text-[13px]">{login.last_login_error}</p>}
            </div>
            <Switch
              label="Active"
              disabled={!mayChange}
              checked={login.is_active}
              onChange={({ target }) => change(() => kind.setActive(login.login_id, target.checked))}
            />
            {mayChange && <SureButton label="Delete" sure="Really delete?" onSure={() => change(() => kind.removeLogin(login.login_id))} />}
          </li>
        ))}
      </ul>
      {mayChange && (
        <details className="border-line border-t pt-3 text-sm">
          <summary className="text-soft">Add a login</summary>
          <Form className="mt-3 flex flex-col gap-4" onSend={(typed) => change(() => kind.addLogin(domain, typed))}>
            <Field label="E-mail" name="email" type="email" required />
            {kind.secrets}
            <Button type="submit" label="Add the login" className="self-start" />
          </Form>
        </details>
      )}
    </article>
  )
}
