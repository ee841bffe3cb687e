// Which cameras and screens a layout shows at a moment of the recording.
import type { BotDetails } from '../../api/types.gen.ts'
import type { Recording } from './data.ts'

export type View = 'recorded' | 'grid' | 'speaker'

/** The available layouts: the recorded one, and the other one if separate videos were recorded. */
export function viewsOf({ RequestPayload }: Pick<BotDetails, 'RequestPayload'>, { cameras, screens }: Recording): readonly View[] {
  if (cameras.length + screens.length === 0) return ['recorded']
  const { recording_config } = RequestPayload as { recording_config?: { video_layout?: string } }
  return ['recorded', recording_config?.video_layout === 'speaker_view' ? 'grid' : 'speaker']
}

type Segment = Recording['cameras'][number]['streams'][number]['segments'][number]
export type Shot = { readonly id: string; readonly name: string; readonly isScreen: boolean; readonly segment: Segment }

export function shotsOf(view: View, recording: Recording, time: number): readonly Shot[] {
  const shots = shotsAt(recording, time)
  return view === 'speaker' ? chosen(shots, recording, time) : shots
}

function shotsAt({ cameras, screens }: Recording, time: number): readonly Shot[] {
  const of = (people: Recording['cameras'], isScreen: boolean) =>
    people.flatMap(({ participant_id: id, participant_name: name, streams }) =>
      streams.flatMap(({ segments }) => segments.map((segment) => ({ id, name, isScreen, segment }))),
    )
  return [...of(screens, true), ...of(cameras, false)].filter(
    ({ segment: { start_offset, duration_seconds } }) => time >= start_offset && time < start_offset + duration_seconds,
  )
}

/** A shared screen, else the last speaker, else any camera. */
function chosen(shots: readonly Shot[], { spoken }: Recording, time: number): readonly Shot[] {
  const speaker = spoken.findLast(({ start }) => start <= time)?.speakerId
  const one = shots.find(({ isScreen }) => isScreen) ?? shots.find(({ id }) => id === speaker) ?? shots[0]
  return one ? [one] : []
}
