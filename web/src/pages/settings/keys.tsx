// API keys: created, shown once, revoked.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeyList } from '../../../../src/service/api/dashboard/schema.ts'
import { reload } from '../../reload.ts'
import { askOwn } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { CopyLine, Field, SureButton, Switch } from '../../ui/form.tsx'
import { Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { When } from '../../ui/status.tsx'

export function Keys() {
  const { workspace_id, role } = useWorkspace()
  const path = `/workspaces/${workspace_id}/keys`
  const queryKey = [workspace_id, 'keys']
  const keys = useQuery({ queryKey, queryFn: () => askOwn<KeyList>('GET', path) })
  const queries = useQueryClient()
  const onSuccess = () => reload(queries, queryKey)
  const revoke = useMutation({ mutationFn: (id: string) => askOwn('DELETE', `${path}/${id}`), onSuccess })
  const isOwner = role === 'owner'
  return (
    <>
      {isOwner && <NewKey path={path} onMade={() => void onSuccess()} />}
      <Section title="Keys" lead="Programs send a key as “Authorization: Token …”.">
        <Problem error={revoke.error} />
        <Await query={keys}>
          {({ keys: list }) => (
            <ul className="card divide-line divide-y">
              {list.map((key) => (
                <li key={key.key_id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3.5">
                  <div className="min-w-0 flex-1">
                    <p className="truncate font-medium">{key.name}</p>
                    <p className="text-soft text-[13px]">
                      {key.hint && <span className="font-mono">…{key.hint} · </span>}
                      {key.user_email ?? 'service key'} · {madeBy(key)} ·{' '}
                      {key.last_used_at ? (
                        <>
                          used <When at={key.last_used_at} />
                        </>
                      ) : (
                        'never used'
                      )}
                    </p>
                  </div>
                  {isOwner && <SureButton label="Revoke" sure="Really revoke?" onSure={() => revoke.mutate(key.key_id)} />}
                </li>
              ))}
              {list.length === 0 && <li className="text-soft px-5 py-8 text-center">No keys yet.</li>}
            </ul>
          )}
        </Await>
      </Section>
    </>
  )
}

function madeBy({ made_by }: KeyList['keys'][number]): string {
  if (made_by === null) return 'maker unknown'
  return `made by ${made_by === 'operator' ? 'the operator' : made_by}`
}

function NewKey({ path, onMade }: { path: string; onMade: () => void }) {
  const [name, setName] = useState('')
  const [service, setService] = useState(false)
  const make = useMutation({
    mutationFn: () => askOwn<{ api_key: string }>('POST', path, { name, service }),
    onSuccess() {
      setName('')
      onMade()
    },
  })
  return (
    <Section title="New key" lead="The key is shown once. The service keeps only its digest.">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          make.mutate()
        }}
      >
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
        <div>
          <button type="submit" className="button button-main" disabled={make.isPending}>
            Make the key
          </button>
        </div>
        <Problem error={make.error} />
        {make.data && (
          <div role="status" className="flex flex-col gap-2">
            <p className="text-sm font-medium">Copy it now. It is not shown again.</p>
            <CopyLine text={make.data.api_key} label="The new key" />
          </div>
        )}
      </form>
    </Section>
  )
}
