// API keys: created, shown once, revoked.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import * as api from '../../api/sdk.gen.ts'
import type { KeyList } from '../../api/types.gen.ts'
import { reload, useChange, useNamedQuery } from '../../reload.ts'
import { ask } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Button, Field, Form, ShownOnce, SureButton, Switch } from '../../ui/form.tsx'
import { CardList, CardRow, Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { When } from '../../ui/status.tsx'

export function Keys() {
  const { workspace_id, role } = useWorkspace()
  const keys = useNamedQuery(['keys'], () => ask(api.listApiKeys({ path: { workspace_id } })))
  const revoke = useChange('keys')
  const isOwner = role === 'owner'
  return (
    <>
      {isOwner && <NewKey />}
      <Section title="Keys" lead="Programs send a key as “Authorization: Token …”.">
        <Problem error={revoke.error} />
        <Await query={keys}>
          {({ keys: list }) => (
            <CardList none="No keys yet.">
              {list.map((key) => (
                <CardRow key={key.key_id} title={key.name} detail={<Detail of={key} />}>
                  {isOwner && (
                    <SureButton
                      label="Revoke"
                      sure="Really revoke?"
                      onSure={() => revoke.mutate(() => ask(api.revokeApiKey({ path: { workspace_id, key_id: key.key_id } })))}
                    />
                  )}
                </CardRow>
              ))}
            </CardList>
          )}
        </Await>
      </Section>
    </>
  )
}

function Detail({ of: { hint, user_email, made_by, last_used_at } }: { of: KeyList['keys'][number] }) {
  const maker = made_by === null ? 'maker unknown' : `made by ${made_by === 'operator' ? 'the operator' : made_by}`
  return (
    <>
      {hint && <span className="font-mono">…{hint} · </span>}
      {user_email ?? 'service key'} · {maker} · {last_used_at ? 'used ' : 'never used'}
      {last_used_at && <When at={last_used_at} />}
    </>
  )
}

function NewKey() {
  const { workspace_id } = useWorkspace()
  const [name, setName] = useState('')
  const [service, setService] = useState(false)
  const queries = useQueryClient()
  const make = useMutation({
    mutationFn: () => ask(api.createApiKey({ path: { workspace_id }, body: { name, service } })),
    onSuccess() {
      setName('')
      // The key is shown at once, also if the list cannot be loaded.
      void reload(queries, [workspace_id, 'keys'])
    },
  })
  return (
    <Section title="New key" lead="The key is shown once. The service keeps only its digest.">
      <Form onSend={() => make.mutate()}>
        <Field
          label="Purpose"
          placeholder="CRM integration"
          required
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Switch
          label="Service key"
          hint="Belongs to no person and has no access to calendars."
          checked={service}
          onChange={({ target }) => setService(target.checked)}
        />
        <Button type="submit" label="Make the key" className="button-main self-start" disabled={make.isPending} />
        <Problem error={make.error} />
        {make.data && <ShownOnce lead="Copy it now. It is not shown again." text={make.data.api_key} label="The new key" />}
      </Form>
    </Section>
  )
}
