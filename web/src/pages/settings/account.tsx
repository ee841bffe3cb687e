// The person's own account: password and sessions.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import * as api from '../../api/sdk.gen.ts'
import type { ChangePasswordData } from '../../api/types.gen.ts'
import { ask } from '../../service.ts'
import { sessionQuery } from '../../session.ts'
import { Button, Field, Form } from '../../ui/form.tsx'
import { CardList, CardRow, Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { When } from '../../ui/status.tsx'

export function Account() {
  const { data: session } = useQuery(sessionQuery)
  return (
    <>
      <Section title={session?.person.name ?? ''} lead={session?.person.email}>
        <Password />
      </Section>
      <Sessions />
    </>
  )
}

function Password() {
  const change = useMutation({ mutationFn: (body: ChangePasswordData['body']) => ask(api.changePassword({ body })) })
  return (
    <Form onSend={change.mutate}>
      <Field label="Current password" name="current_password" type="password" autoComplete="current-password" required />
      <Field
        label="New password"
        name="new_password"
        type="password"
        autoComplete="new-password"
        minLength={10}
        required
        hint="Ten characters or more. Other sessions end."
      />
      <Button type="submit" label="Change the password" className="self-start" disabled={change.isPending} />
      <Problem error={change.error} />
      {change.data && <p role="status">{change.data.message}</p>}
    </Form>
  )
}

function Sessions() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: () => ask(api.listSessions()) })
  const leave = useMutation({
    mutationFn: (request: typeof api.signOut | typeof api.signOutEverywhere) => ask(request()),
    async onSuccess() {
      queries.clear()
      queries.setQueryData(sessionQuery.queryKey, null)
      await navigate({ to: '/sign-in' })
    },
  })
  return (
    <Section title="Sessions" lead="Browsers in which you are signed in.">
      <Await query={sessions}>
        {({ sessions: list }) => (
          <CardList>
            {list.map((it) => {
              const seen = it.is_current ? 'This browser' : ['seen ', <When key="at" at={it.last_seen_at} />]
              return <CardRow key={it.session_id} title={it.user_agent || 'Unknown browser'} detail={seen} />
            })}
          </CardList>
        )}
      </Await>
      <div className="flex flex-wrap gap-2">
        <Button label="Sign out" onClick={() => leave.mutate(api.signOut)} />
        <Button label="Sign out everywhere" className="button-bad" onClick={() => leave.mutate(api.signOutEverywhere)} />
      </div>
      <Problem error={leave.error} />
    </Section>
  )
}
