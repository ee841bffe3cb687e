// The people of the workspace, and the workspace itself.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import * as api from '../../api/sdk.gen.ts'
import type { InvitePersonData, People as PeopleAnswer } from '../../api/types.gen.ts'
import { type Change, useChange, useNamedQuery } from '../../reload.ts'
import { ask } from '../../service.ts'
import { sessionQuery, useWorkspace } from '../../session.ts'
import { Button, Choice, CopyLine, Field, Form, SureButton, type Typed, Values } from '../../ui/form.tsx'
import { CardList, CardRow, Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { When } from '../../ui/status.tsx'

const ROLES = { owner: 'Owner: everything, keys and people too', member: 'Member: sends bots', viewer: 'Viewer: looks only' } as const

export function People() {
  const { workspace_id, role, name } = useWorkspace()
  const people = useNamedQuery(['people'], () => ask(api.listPeople({ path: { workspace_id } })))
  const change = useChange<Answer>('people')
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

/** The answer to an invitation has its link. */
type Answer = { readonly message?: string; readonly url?: string }

function Invite({ change, link, isPending }: { change: Change<Answer>; link: string | undefined; isPending: boolean }) {
  const { workspace_id } = useWorkspace()
  return (
    <Section title="Invite" lead="You get a link to pass on. It works once, for seven days.">
      <Form<InvitePersonData['body']>
        className="grid gap-4 sm:grid-cols-[1fr_15rem_auto] sm:items-end"
        onSend={(body) => change(() => ask(api.invitePerson({ path: { workspace_id }, body })))}
      >
        <Field label="E-mail" name="email" type="email" required />
        <Choice label="Role" name="role" defaultValue="member">
          <Values of={Object.keys(ROLES)} labels={ROLES} />
        </Choice>
        <Button type="submit" label="Make a link" className="button-main" disabled={isPending} />
      </Form>
      {link && <CopyLine text={link} label="The invitation" />}
    </Section>
  )
}

function List({ people, isOwner, change }: { people: PeopleAnswer; isOwner: boolean; change: Change<Answer> }) {
  const { workspace_id } = useWorkspace()
  return (
    <CardList>
      {people.members.map((member) => (
        <CardRow key={member.user_id} title={member.name} detail={member.email}>
          {isOwner ? (
            <>
              <select
                aria-label={`Role of ${member.name}`}
                className="field w-auto py-1.5 text-sm"
                value={member.role}
                onChange={({ target }) => {
                  const role = target.value as keyof typeof ROLES
                  change(() => ask(api.changeRole({ path: { workspace_id, user_id: member.user_id }, body: { role } })))
                }}
              >
                <Values of={Object.keys(ROLES)} />
              </select>
              <SureButton
                label="Remove"
                sure="Really remove?"
                onSure={() => change(() => ask(api.removeMember({ path: { workspace_id, user_id: member.user_id } })))}
              />
            </>
          ) : (
            <span className="text-soft text-sm">{member.role}</span>
          )}
        </CardRow>
      ))}
      {people.invitations.map((it) => (
        <CardRow key={it.invitation_id} title={it.email} detail={<Invited as={it.role} until={it.expires_at} />}>
          {isOwner && (
            <SureButton
              label="Withdraw"
              sure="Really withdraw?"
              onSure={() => change(() => ask(api.withdrawInvitation({ path: { workspace_id, invitation_id: it.invitation_id } })))}
            />
          )}
        </CardRow>
      ))}
    </CardList>
  )
}

const Invited = ({ as, until }: { as: string; until: string }) => (
  <>
    invited as {as}, expires <When at={until} />
  </>
)

function WorkspaceForms({ name }: { name: string }) {
  const { workspace_id } = useWorkspace()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const refresh = () => queries.invalidateQueries(sessionQuery)
  const rename = useMutation({
    mutationFn: ({ name: typed = '' }: Typed) => ask(api.renameWorkspace({ path: { workspace_id }, body: { name: typed } })),
    onSuccess: refresh,
  })
  const found = useMutation({
    mutationFn: ({ name: typed = '' }: Typed) => ask(api.createOwnWorkspace({ body: { name: typed } })),
    async onSuccess(made) {
      await refresh()
      await navigate({ to: '/w/$workspace/bots', params: { workspace: made.workspace_id } })
    },
  })
  return (
    <Section title="Workspace" lead="Bots, keys, webhooks and people of one workspace are invisible to others.">
      <Form className="flex items-end gap-3" onSend={rename.mutate}>
        <div className="flex-1">
          <Field label="Name" name="name" required maxLength={200} defaultValue={name} />
        </div>
        <Button type="submit" label="Rename" />
      </Form>
      <Form className="flex items-end gap-3" onSend={found.mutate}>
        <div className="flex-1">
          <Field label="Another workspace" name="name" required maxLength={200} placeholder="Its name" />
        </div>
        <Button type="submit" label="Make it" />
      </Form>
      <Problem error={rename.error ?? found.error} />
    </Section>
  )
}
