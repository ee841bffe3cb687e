// The sign-in page.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import { askOwn } from '../service.ts'
import { kept, type SessionAnswer, sessionQuery } from '../session.ts'
import { Field } from '../ui/form.tsx'
import { Mark } from '../ui/mark.tsx'
import { Empty, Problem } from '../ui/states.tsx'

/** A page with a single form. */
export function Doorstep({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  return (
    <main className="grid min-h-dvh place-items-center px-5 py-12">
      <div className="w-full max-w-sm">
        <Mark className="mb-8 size-11" />
        <h1>{title}</h1>
        <p className="text-soft mt-2 mb-8">{lead}</p>
        {children}
      </div>
    </main>
  )
}

/** Starts the session that `path` returns, and continues to the requested page. */
export function useSignIn(path: string, to = '/') {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (body: object) => askOwn<SessionAnswer>('POST', path, body),
    onSuccess(session) {
      queries.setQueryData(sessionQuery.queryKey, kept(session))
      void navigate({ href: to })
    },
  })
}

/** The values of a form, by name. */
export function typedIn(event: FormEvent<HTMLFormElement>): Record<string, string> {
  event.preventDefault()
  return Object.fromEntries([...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]))
}

export function SignIn() {
  const { to } = useSearch({ from: '/sign-in' })
  // An address of another site would be an open redirect.
  const signIn = useSignIn('/session', to?.startsWith('/w/') ? to : '/')
  return (
    <Doorstep title="Welcome back" lead="Sign in to see your bots and their recordings.">
      <form className="flex flex-col gap-5" onSubmit={(event) => signIn.mutate(typedIn(event))}>
        <Field label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
        <Problem error={signIn.error} />
        <button type="submit" className="button button-main py-2.5" disabled={signIn.isPending}>
          {signIn.isPending ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
      <p className="text-soft mt-8 text-sm">No account? Ask an owner of the workspace for an invitation.</p>
    </Doorstep>
  )
}

export function NoWorkspace() {
  return <Empty title="You are in no workspace">Ask an owner for an invitation, and open its link here.</Empty>
}
