// The person's own account: password and sessions.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SessionList } from '../../../../src/service/api/dashboard/schema.ts'
import { askOwn } from '../../service.ts'
import { sessionQuery } from '../../session.ts'
import { Field } from '../../ui/form.tsx'
import { Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { When } from '../../ui/status.tsx'
import { typedIn } from '../sign-in.tsx'

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
  const change = useMutation({ mutationFn: (body: object) => askOwn<{ message: string }>('PUT', '/password', body) })
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => change.mutate(typedIn(event))}>
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
      <div>
        <button type="submit" className="button" disabled={change.isPending}>
          Change the password
        </button>
      </div>
      <Problem error={change.error} />
      {change.data && <p role="status">{change.data.message}</p>}
    </form>
  )
}

function Sessions() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: () => askOwn<SessionList>('GET', '/sessions') })
  const leave = useMutation({
    mutationFn: (path: string) => askOwn('DELETE', path),
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
          <ul className="card divide-line divide-y">
            {list.map((it) => (
              <li key={it.session_id} className="px-5 py-3.5">
                <p className="truncate text-sm">{it.user_agent || 'Unknown browser'}</p>
                <p className="text-soft text-[13px]">
                  {it.is_current ? (
                    'This browser'
                  ) : (
                    <>
                      seen <When at={it.last_seen_at} />
                    </>
                  )}
                </p>
              </li>
            ))}
          </ul>
        )}
      </Await>
      <div className="flex flex-wrap gap-2">
        <button type="button" className="button" onClick={() => leave.mutate('/session')}>
          Sign out
        </button>
        <button type="button" className="button button-bad" onClick={() => leave.mutate('/sessions')}>
          Sign out everywhere
        </button>
      </div>
      <Problem error={leave.error} />
    </Section>
  )
}
