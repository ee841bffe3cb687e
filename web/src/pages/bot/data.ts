// The queries of a bot's page, under keys that live updates invalidate.
import { queryOptions } from '@tanstack/react-query'
import * as api from '../../api/sdk.gen.ts'
import type { BotDetails, TranscriptSegment } from '../../api/types.gen.ts'
import { ask, orNull } from '../../service.ts'

export type Place = { readonly workspace: string; readonly bot: string }

const keyOf = ({ workspace, bot }: Place, ...more: readonly string[]) => [workspace, 'bot', bot, ...more]
/** The path of requests about a bot. */
export const at = (bot: string) => ({ path: { bot_id: bot } })

export const detailQuery = (place: Place) =>
  queryOptions({ queryKey: keyOf(place), queryFn: async () => (await ask(api.getBotDetail(at(place.bot)))).bot_details })

export const audioQuery = (place: Place) =>
  queryOptions({ queryKey: keyOf(place, 'audio'), queryFn: () => ask(api.getAudio(at(place.bot))) })

export const recordingQuery = (place: Place) =>
  queryOptions({
    queryKey: keyOf(place, 'recording'),
    async queryFn() {
      const [video, sounds, pictures, timeline, lanes] = await Promise.all([
        orNull(ask(api.getVideo(at(place.bot)))),
        orNull(ask(api.getAudioStreams(at(place.bot)))),
        orNull(ask(api.getRecordingStreams(at(place.bot)))),
        orNull(ask(api.getSpeakerTimeline(at(place.bot)))),
        ask(api.getLanes({ path: { workspace_id: place.workspace, bot_id: place.bot } })),
      ])
      const { speaker_names: names, pauses, gaps } = lanes
      const named = <It extends { participant_id: string; participant_name: string }>(its: readonly It[] = []): It[] =>
        its.map((it) => ({ ...it, participant_name: names[it.participant_id] ?? it.participant_name }))
      const media = { sounds: named(sounds?.participants), cameras: named(pictures?.participants), screens: named(pictures?.screenshares) }
      return { video, ...media, spoken: timeline?.chunks ?? [], names, pauses, gaps }
    },
  })

export type Recording = Awaited<ReturnType<NonNullable<ReturnType<typeof recordingQuery>['queryFn']>>>

export const transcriptQuery = (place: Place, { transcript_id }: BotDetails) =>
  queryOptions({
    queryKey: keyOf(place, 'transcript', transcript_id ?? ''),
    enabled: transcript_id !== null,
    // A new transcription replaces the previous one when it is complete.
    placeholderData: (before) => before,
    // Without `raw`, every entry is a segment.
    queryFn: () => orNull(ask(api.getTranscript({ path: { transcript_id: transcript_id ?? '' } })) as Promise<TranscriptSegment[]>),
  })

export const peopleQuery = (place: Place) =>
  queryOptions({
    queryKey: keyOf(place, 'people'),
    async queryFn() {
      const [people, chat] = await Promise.all([orNull(ask(api.getParticipants(at(place.bot)))), orNull(ask(api.getChats(at(place.bot))))])
      return { people: people ?? [], messages: chat?.chatMessages ?? [] }
    },
  })

export const screenshotsQuery = (place: Place) =>
  queryOptions({
    queryKey: keyOf(place, 'screenshots'),
    queryFn: async () => (await orNull(ask(api.getScreenshots(at(place.bot)))))?.screenshots ?? [],
  })

export const deliveriesQuery = (place: Place) =>
  queryOptions({
    queryKey: keyOf(place, 'deliveries'),
    queryFn: async () => (await ask(api.listDeliveries({ query: { bot_id: place.bot, limit: 100 } }))).deliveries,
  })
