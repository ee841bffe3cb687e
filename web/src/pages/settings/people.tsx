// The people of the workspace, and the workspace itself.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { People as PeopleAnswer } from '../../../../src/service/api/dashboard/schema.ts'
import { reload } from '../../reload.ts'
import { askOwn } from '../../service.ts'
import { sessionQuery, useWorkspace } from '../../session.ts'
import { Choice, CopyLine, Field, SureButton } from '../../ui/form.tsx'
import { Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { When } from '../../ui/status.tsx'
import { typedIn } from '../sign-in.tsx'

const ROLES = { owner: 'Owner: everything, keys and people too', member: 'Member: sends bots', viewer: 'Viewer: looks only' } as const

const options = Object.entries(ROLES).map(([role, label]) => (
  <option key={role} value={role}>
    {label}
  </option>
))

export function People() {
  const { workspace_id, role, name } = useWorkspace()
  const queries = useQueryClient()
  const path = `/workspaces/${workspace_id}`
  const people = useQuery({ queryKey: [workspace_id, 'people'], queryFn: () => askOwn<PeopleAnswer>('GET', `${path}/people`) })
  const change = useMutation({
    mutationFn: ({ method, at, body }: Change) => askOwn<{ url?: string }>(method, path + at, body),
    onSuccess: () => reload(queries, [workspace_id, 'people']),
  })
  const isOwner = role === 'owner'
  return (
    <>
      {isOwner && <Invite change={change.mutate} link={change.data?.url} isPending={change.isPending} />}
      <Section title="Members" lead="A member of several workspaces has one account.">
        <Problem error={change.error} />
        <Await query={people}>{(it) => <List people={it} isOwner={isOwner} change={change.mutate} />}</Await>
      </Section>
      {isOwner && <WorkspaceForms key={workspace_id} name={name} />}
    </>
  )
}

type Change = { readonly method: string; readonly at: string; readonly body?: unknown }
type OnChange = (change: Change) => void

function Invite({ change, link, isPending }: { change: OnChange; link: string | undefined; isPending: boolean }) {
  return (
    <Section title="Invite" lead="You get a link to pass on. It works once, for seven days.">
      <form
        className="grid gap-4 sm:grid-cols-[1fr_15rem_auto] sm:items-end"
        onSubmit={(event) => change({ method: 'POST', at: '/invitations', body: typedIn(event) })}
      >
        <Field label="E-mail" name="email" type="email" required />
        <Choice label="Role" name="role" defaultValue="member">
          {options}
        </Choice>
        <button type="submit" className="button button-main" disabled={isPending}>
          Make a link
        </button>
      </form>
      {link && <CopyLine text={link} label="The invitation" />}
    </Section>
  )
}

function List({ people, isOwner, change }: { people: PeopleAnswer; isOwner: boolean; change: OnChange }) {
  return (
    <ul className="card divide-line divide-y">
      {people.members.map((member) => (
        <li key={member.user_id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3.5">
          <div className="min-w-40 flex-1">
            <p className="font-medium">{member.name}</p>
            <p className="text-soft text-[13px]">{member.email}</p>
          </div>
          {isOwner ? (
            <>
              <select
                aria-label={`Role of ${member.name}`}
                className="field w-auto py-1.5 text-sm"
                value={member.role}
                onChange={({ target }) => change({ method: 'PATCH', at: `/people/${member.user_id}`, body: { role: target.value } })}
              >
                {Object.keys(ROLES).map((role) => (
                  <option key={role}>{role}</option>
                ))}
              </select>
              <SureButton
                label="Remove"
                sure="Really remove?"
                onSure={() => change({ method: 'DELETE', at: `/people/${member.user_id}` })}
              />
            </>
          ) : (
            <span className="text-soft text-sm">{member.role}</span>
          )}
        </li>
      ))}
      {people.invitations.map((it) => (
        <li key={it.invitation_id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3.5">
          <div className="min-w-40 flex-1">
            <p>{it.email}</p>
            <p className="text-soft text-[13px]">
              invited as {it.role}, expires <When at={it.expires_at} />
            </p>
          </div>
          {isOwner && (
            <SureButton
              label="Withdraw"
              sure="Really withdraw?"
              onSure={() => change({ method: 'DELETE', at: `/invitations/${it.invitation_id}` })}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

function WorkspaceForms({ name }: { name: string }) {
  const { workspace_id } = useWorkspace()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const refresh = () => queries.invalidateQueries(sessionQuery)
  const rename = useMutation({ mutationFn: (body: object) => askOwn('PATCH', `/workspaces/${workspace_id}`, body), onSuccess: refresh })
  const found = useMutation({
    mutationFn: (body: object) => askOwn<{ workspace_id: string }>('POST', '/workspaces', body),
    async onSuccess(made) {
      await refresh()
      await navigate({ to: '/w/$workspace/bots', params: { workspace: made.workspace_id } })
    },
  })
  return (
    <Section title="Workspace" lead="Bots, keys, webhooks and people of one workspace are invisible to others.">
      <form className="flex items-end gap-3" onSubmit={(event) => rename.mutate(typedIn(event))}>
        <div className="flex-1">
          <Field label="Name" name="name" required maxLength={200} defaultValue={name} />
        </div>
        <button type="submit" className="button">
          Rename
        </button>
      </form>
      <form className="flex items-end gap-3" onSubmit={(event) => found.mutate(typedIn(event))}>
        <div className="flex-1">
          <Field label="Another workspace" name="name" required maxLength={200} placeholder="Its name" />
        </div>
        <button type="submit" className="button">
          Make it
        </button>
      </form>
      <Problem error={rename.error ?? found.error} />
    </Section>
  )
}
