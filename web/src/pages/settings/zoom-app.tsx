// The workspace's own Zoom app, in place of the server's.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getSettings, updateSettings } from '../../api/sdk.gen.ts'
import { reload } from '../../reload.ts'
import { ask } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Field, SureButton } from '../../ui/form.tsx'
import { Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { typedIn } from '../sign-in.tsx'

export function ZoomApp() {
  const { workspace_id, role } = useWorkspace()
  const queries = useQueryClient()
  const queryKey = [workspace_id, 'settings']
  const settings = useQuery({ queryKey, queryFn: () => ask(getSettings()) })
  const change = useMutation({
    mutationFn: (app: { key: string; secret: string } | null) =>
      ask(updateSettings({ body: { zoom_sdk_key: app?.key ?? null, zoom_sdk_secret: app?.secret ?? null } })),
    onSuccess: () => reload(queries, queryKey),
  })
  return (
    <Section title="Zoom app" lead="Zoom lets bots in by the credentials of an app: the server’s, or your own.">
      <Problem error={change.error} />
      <Await query={settings}>
        {({ zoom_sdk_key }) =>
          zoom_sdk_key ? (
            <div className="card flex flex-wrap items-center justify-between gap-3 px-5 py-3.5">
              <code className="font-mono text-sm">{zoom_sdk_key}</code>
              {role !== 'viewer' && <SureButton label="Forget" sure="Really forget?" onSure={() => change.mutate(null)} />}
            </div>
          ) : (
            <p className="text-soft text-sm">This workspace has no app of its own.</p>
          )
        }
      </Await>
      {role !== 'viewer' && (
        <form
          className="grid gap-4 sm:grid-cols-[1fr_1fr_auto] sm:items-end"
          onSubmit={(event) => {
            const { key = '', secret = '' } = typedIn(event)
            change.mutate({ key, secret })
          }}
        >
          <Field label="SDK key" name="key" required autoComplete="off" />
          <Field label="SDK secret" name="secret" type="password" required autoComplete="off" />
          <button type="submit" className="button" disabled={change.isPending}>
            Keep
          </button>
        </form>
      )}
    </Section>
  )
}
