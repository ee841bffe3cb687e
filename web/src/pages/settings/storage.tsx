// Storage of media: its place, its size, and its retention.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Storage as Stored } from '../../../../src/service/api/dashboard/schema.ts'
import { reload } from '../../reload.ts'
import { askOwn } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Figures } from '../../ui/figures.tsx'
import { Field } from '../../ui/form.tsx'
import { Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { typedIn } from '../sign-in.tsx'

export function StoragePage() {
  const { workspace_id } = useWorkspace()
  const path = `/workspaces/${workspace_id}/storage`
  const storage = useQuery({ queryKey: [workspace_id, 'storage'], queryFn: () => askOwn<Stored>('GET', path) })
  return <Await query={storage}>{(it) => <Kept stored={it} path={path} />}</Await>
}

function Kept({ stored, path }: { stored: Stored; path: string }) {
  const { bots, files, bytes, place } = stored
  return (
    <>
      <Section title="Retention" lead="How long recordings, transcripts, chat and screenshots are kept after a bot has ended.">
        <Retention stored={stored} path={path} />
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

function Retention({ stored, path }: { stored: Stored; path: string }) {
  const { workspace_id, role } = useWorkspace()
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (hours: number | null) => askOwn<{ message: string }>('PUT', path, { retention_hours: hours }),
    onSuccess: () => reload(queries, [workspace_id, 'storage']),
  })
  const { retention_hours: hours, default_retention_hours: usual } = stored
  if (role !== 'owner') return <p>{inDays(hours ?? usual)}, unless a bot says otherwise. Owners can change this.</p>
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        const typed = typedIn(event).days ?? ''
        change.mutate(typed === '' ? null : Math.round(Number(typed) * 24 * 100) / 100)
      }}
    >
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
      <div>
        <button type="submit" className="button button-main" disabled={change.isPending}>
          Keep it so
        </button>
      </div>
      <Problem error={change.error} />
      {change.data && (
        <p role="status" className="text-sm">
          {change.data.message}
        </p>
      )}
    </form>
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
