// The page of a set-up link or an invitation, which creates the account.
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import * as api from '../api/sdk.gen.ts'
import type { AcceptInvitationData, Invitation } from '../api/types.gen.ts'
import { ask, ServiceProblem } from '../service.ts'
import { Field, Form, Options } from '../ui/form.tsx'
import { Await, Problem } from '../ui/states.tsx'
import { Doorstep, useSignIn } from './sign-in.tsx'

const PATHS = ['/set-up', '/join']

export function Join() {
  // In the fragment, so that it reaches no server log.
  const { hash: token, pathname } = useLocation()
  const invitation = useQuery({
    queryKey: ['invitation', token],
    staleTime: Number.POSITIVE_INFINITY,
    // The address changes before this page unmounts, and its fragment is then not a token.
    enabled: PATHS.includes(pathname),
    queryFn: () => ask(api.readInvitation({ body: { token } })),
  })
  if (invitation.error instanceof ServiceProblem && invitation.error.status === 404) return <DeadLink why={invitation.error.message} />
  return <Await query={invitation}>{(it) => <Acceptance token={token} invitation={it} />}</Await>
}

function DeadLink({ why }: { why: string }) {
  return (
    <Doorstep title="This link does not work" lead={why}>
      <Link to="/sign-in" className="button">
        Sign in
      </Link>
    </Doorstep>
  )
}

type Account = 'new' | 'existing'
const ACCOUNTS = ['new', 'existing'] as const
const LABELS: Readonly<Record<Account, string>> = { new: 'I am new here', existing: 'I have an account' }

/** The person says whether they have an account, because the service does not reveal which addresses have one. */
function Acceptance({ token, invitation }: { token: string; invitation: Invitation }) {
  const { email, workspace_name, role } = invitation
  const [account, setAccount] = useState<Account>('new')
  const signIn = useSignIn((body: AcceptInvitationData['body']) => ask(api.acceptInvitation({ body })))
  const isNew = account === 'new'
  const lead = email
    ? `You are invited to the workspace “${workspace_name}” as ${role}.`
    : 'Create the first account. It owns this installation’s workspace.'
  return (
    <Doorstep title={email ? 'Join the workspace' : 'Set up Emissary'} lead={lead}>
      <Form<{ password: string }>
        className="flex flex-col gap-5"
        onSend={(typed) => signIn.mutate({ token, has_account: !isNew, ...typed })}
      >
        {email && (
          <Options legend="Your account on this server" options={ACCOUNTS} labels={LABELS} chosen={account} onChoose={setAccount} />
        )}
        {isNew && <Field label="Your name" name="name" autoComplete="name" required autoFocus maxLength={200} />}
        {email ? (
          <p className="text-sm">
            <span className="text-soft">E-mail </span>
            {email}
          </p>
        ) : (
          <Field label="E-mail" name="email" type="email" autoComplete="username" required />
        )}
        <Field
          key={account}
          label="Password"
          name="password"
          type="password"
          minLength={10}
          required
          autoComplete={isNew ? 'new-password' : 'current-password'}
          hint={isNew ? 'Ten characters or more. A sentence is a good password.' : 'The password of your existing account.'}
        />
        <Problem error={signIn.error} />
        <button type="submit" className="button button-main py-2.5" disabled={signIn.isPending}>
          {signIn.isPending ? 'One moment …' : email ? 'Join the workspace' : 'Create the account'}
        </button>
      </Form>
    </Doorstep>
  )
}
