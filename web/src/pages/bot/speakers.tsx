// Renames speakers. The service applies the names to every form of the transcript.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TranscriptSegment } from '../../api/types.gen.ts'
import { reload } from '../../reload.ts'
import { askOwn } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Problem } from '../../ui/states.tsx'
import { typedIn } from '../sign-in.tsx'
import type { Place } from './data.ts'

export function Speakers({ place, segments }: { place: Place; segments: readonly TranscriptSegment[] }) {
  const { role } = useWorkspace()
  const queries = useQueryClient()
  const rename = useMutation({
    mutationFn: (body: { speaker_id: string; name: string | null }) =>
      askOwn('PUT', `/workspaces/${place.workspace}/bots/${place.bot}/speaker_names`, body),
    onSuccess: () => reload(queries, [place.workspace, 'bot', place.bot]),
  })
  const speakers = new Map(segments.filter(({ speaker_id }) => speaker_id !== '').map(({ speaker_id, speaker }) => [speaker_id, speaker]))
  if (role === 'viewer' || speakers.size === 0) return null
  return (
    <details className="border-line border-t text-sm">
      <summary className="text-soft px-4 py-2.5">Rename speakers</summary>
      <div className="flex flex-col gap-2 px-4 pb-4">
        {[...speakers].map(([speaker_id, speaker]) => (
          <form
            key={`${speaker_id} ${speaker}`}
            className="flex gap-2"
            onSubmit={(event) => rename.mutate({ speaker_id, name: typedIn(event).name?.trim() || null })}
          >
            <input name="name" aria-label={`Name of ${speaker}`} className="field py-1.5" defaultValue={speaker} maxLength={200} />
            <button type="submit" className="button" disabled={rename.isPending}>
              Rename
            </button>
          </form>
        ))}
        <p className="text-soft text-[13px]">An empty name restores the name from the meeting.</p>
        <Problem error={rename.error} />
      </div>
    </details>
  )
}
