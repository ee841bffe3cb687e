// Storage of media: its place, its size, and its retention.
import * as api from '../../api/sdk.gen.ts'
import type { StorageUse } from '../../api/types.gen.ts'
import { useChange, useNamedQuery } from '../../reload.ts'
import { ask } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Button, Field, Form, type Typed } from '../../ui/form.tsx'
import { Figures, Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'

export function StoragePage() {
  const { workspace_id } = useWorkspace()
  const storage = useNamedQuery(['storage'], () => ask(api.getStorage({ path: { workspace_id } })))
  return <Await query={storage}>{(it) => <Kept stored={it} />}</Await>
}

function Kept({ stored }: { stored: StorageUse }) {
  const { bots, files, bytes, place } = stored
  return (
    <>
      <Section title="Retention" lead="How long recordings, transcripts, chat and screenshots are kept after a bot has ended.">
        <Retention stored={stored} />
      </Section>
      <Section title="Storage" lead={`Media of this workspace lies on ${place}.`}>
        <Figures
          figures={[
            ['Recordings', String(bots)],
            ['Files', String(files)],
            ['Size', sizeOf(bytes)],
          ]}
        />
      </Section>
    </>
  )
}

function Retention({ stored }: { stored: StorageUse }) {
  const { workspace_id, role } = useWorkspace()
  const change = useChange<{ message: string }>('storage')
  const onSend = ({ days = '' }: Typed) => {
    const retention_hours = days === '' ? null : Math.round(Number(days) * 24 * 100) / 100
    change.mutate(() => ask(api.setRetention({ path: { workspace_id }, body: { retention_hours } })))
  }
  const { retention_hours: hours, default_retention_hours: usual } = stored
  if (role !== 'owner') return <p>{inDays(hours ?? usual)}, unless a bot says otherwise. Owners can change this.</p>
  return (
    <Form onSend={onSend}>
      <Field
        label="Days"
        name="days"
        type="number"
        min={0.05}
        max={3650}
        step="any"
        placeholder={String(usual / 24)}
        defaultValue={hours === null ? '' : hours / 24}
        hint={`Empty: ${inDays(usual)}. A bot can ask for another time with recording_config.retention. Bots that have ended keep the time they got.`}
      />
      <Button type="submit" label="Keep it so" className="button-main self-start" disabled={change.isPending} />
      <Problem error={change.error} />
      {change.data && (
        <p role="status" className="text-sm">
          {change.data.message}
        </p>
      )}
    </Form>
  )
}

function inDays(hours: number): string {
  const days = Math.round((hours / 24) * 10) / 10
  return days === 1 ? '1 day' : `${days} days`
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

function sizeOf(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(power > 1 ? 1 : 0)} ${UNITS[power]}`
}
