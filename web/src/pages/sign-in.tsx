// The sign-in page.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import * as api from '../api/sdk.gen.ts'
import type { Session, SignInData } from '../api/types.gen.ts'
import { ask } from '../service.ts'
import { kept, sessionQuery } from '../session.ts'
import { Field, Form } from '../ui/form.tsx'
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

/** Starts the session that the request returns, and continues to the requested page. */
export function useSignIn<Body>(request: (body: Body) => Promise<Session>, to = '/') {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: request,
    onSuccess(session) {
      queries.setQueryData(sessionQuery.queryKey, kept(session))
      void navigate({ href: to })
    },
  })
}

export function SignIn() {
  const { to } = useSearch({ from: '/sign-in' })
  // An address of another site would be an open redirect.
  const start = useSignIn((body: SignInData['body']) => ask(api.signIn({ body })), to?.startsWith('/w/') ? to : '/')
  return (
    <Doorstep title="Welcome back" lead="Sign in to see your bots and their recordings.">
      <Form className="flex flex-col gap-5" onSend={start.mutate}>
        <Field label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
        <Problem error={start.error} />
        <button type="submit" className="button button-main py-2.5" disabled={start.isPending}>
          {start.isPending ? 'Signing in …' : 'Sign in'}
        </button>
      </Form>
      <p className="text-soft mt-8 text-sm">No account? Ask an owner of the workspace for an invitation.</p>
    </Doorstep>
  )
}

export function NoWorkspace() {
  return <Empty title="You are in no workspace">Ask an owner for an invitation, and open its link here.</Empty>
}
