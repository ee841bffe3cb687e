// The workspace's own apps, with which bots join in place of the server's.
import * as api from '../../api/sdk.gen.ts'
import type { UpdateSettingsData, WorkspaceSettings } from '../../api/types.gen.ts'
import { useChange, useNamedQuery } from '../../reload.ts'
import { ask } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Button, Field, Form, SureButton } from '../../ui/form.tsx'
import { Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'

type Change = NonNullable<UpdateSettingsData['body']>
type Name = keyof Change

/** One app. Its fields are set and deleted together. */
type App = {
  readonly title: string
  readonly lead: string
  readonly idOf: (settings: WorkspaceSettings) => string | null
  readonly fields: readonly { readonly name: Name; readonly label: string; readonly isSecret?: true }[]
}

const APPS: readonly App[] = [
  {
    title: 'Zoom app',
    lead: 'Zoom lets bots in by the credentials of an app: the server’s, or your own.',
    idOf: ({ zoom_sdk_key }) => zoom_sdk_key,
    fields: [
      { name: 'zoom_sdk_key', label: 'SDK key' },
      { name: 'zoom_sdk_secret', label: 'SDK secret', isSecret: true },
    ],
  },
  {
    title: 'Teams app',
    lead: 'Microsoft Teams shows bots as known that identify themselves by a registered app: the server’s, or your own.',
    idOf: ({ teams_bot_client_id }) => teams_bot_client_id,
    fields: [
      { name: 'teams_bot_tenant', label: 'Tenant' },
      { name: 'teams_bot_client_id', label: 'Client id' },
      { name: 'teams_bot_client_secret', label: 'Client secret', isSecret: true },
    ],
  },
]

export function Apps() {
  return (
    <>
      {APPS.map((app) => (
        <AppSection key={app.title} app={app} />
      ))}
    </>
  )
}

function AppSection({ app: { title, lead, idOf, fields } }: { app: App }) {
  const { role } = useWorkspace()
  const settings = useNamedQuery(['settings'], () => ask(api.getSettings()))
  const change = useChange('settings')
  const set = (choose: (name: Name) => string | null) =>
    change.mutate(() => ask(api.updateSettings({ body: Object.fromEntries(fields.map(({ name }) => [name, choose(name)])) as Change })))
  return (
    <Section title={title} lead={lead}>
      <Problem error={change.error} />
      <Await query={settings}>
        {(known) =>
          idOf(known) ? (
            <div className="card flex flex-wrap items-center justify-between gap-3 px-5 py-3.5">
              <code className="font-mono text-sm">{idOf(known)}</code>
              {role !== 'viewer' && <SureButton label="Forget" sure="Really forget?" onSure={() => set(() => null)} />}
            </div>
          ) : (
            <p className="text-soft text-sm">This workspace has no app of its own.</p>
          )
        }
      </Await>
      {role !== 'viewer' && (
        <Form className="flex flex-wrap items-end gap-4" onSend={(typed) => set((name) => typed[name] ?? '')}>
          {fields.map(({ name, label, isSecret }) => (
            <div key={name} className="min-w-40 flex-1">
              <Field label={label} name={name} required autoComplete="off" {...(isSecret && { type: 'password' })} />
            </div>
          ))}
          <Button type="submit" label="Keep" disabled={change.isPending} />
        </Form>
      )}
    </Section>
  )
}
