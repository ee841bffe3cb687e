// The role `media`: after the call makes files and transcripts, and deletes them after their retention time.
import { availableParallelism } from 'node:os'
import type { WorkspaceId } from '../domain/bot.ts'
import { type ProviderName, vendorOf } from '../domain/speech-providers.ts'
import type { Logger } from '../kit/log.ts'
import { createSemaphore } from '../kit/semaphore.ts'
import { type Stops, stopLater } from '../kit/stop-all.ts'
import { openSpeech } from '../speech/registry.ts'
import type { Config } from './config.ts'
import { startRetention } from './fleet/bot/delete.ts'
import { startRecordingQueue } from './media/recording-queue.ts'
import { startTranscriptionQueue } from './media/transcript/transcription-queue.ts'
import { buildOf, chooseEncoder, encoderProblem } from './media/video/choose-encoder.ts'
import type { Encoder } from './media/video/encoder.ts'
import { startWorkAhead } from './media/work-ahead.ts'
import type { NodeParts } from './open-node.ts'
import { ConfigError } from './setting-readers.ts'

/** More pieces of one recording at the same time would need much memory: each takes about 150 MB. */
const MOST_PIECES = 4

/** `seatedBots`: the bots of this process that are in meetings now. */
export async function startMedia(node: NodeParts, seatedBots: () => number, stops: Stops): Promise<void> {
  const { config, disk, fleet, log, store, providerKeys, now, folders, deletion, wakes } = node
  const parts = { ...fleet, log, store, providerKeys, now }
  const ownCores = Math.min(MOST_PIECES, Math.max(1, Math.floor(availableParallelism() / config.MEDIA_JOBS)))
  const speech = stopLater(stops, openSpeech(config.speech.native))
  // Live bots keep the other cores, and transcripts come before videos.
  const piecesOn = (cores: number) => (seatedBots() > 0 ? 1 : Math.max(1, cores - speech.transcribing()))
  const piecesAtOnce = () => piecesOn(ownCores)
  // The work ahead and the recordings besides `MEDIA_JOBS` have no cores of their own.
  const inTurn = createSemaphore(() => piecesOn(ownCores * config.MEDIA_JOBS))
  const encoder = await openEncoder(config, log)
  const recordings = { ...parts, folder: folders.work, encoder, piecesAtOnce, inTurn }
  const ahead = stopLater(stops, startWorkAhead({ ...recordings, nodeId: node.node.id, disk }))
  const processing = stopLater(stops, startRecordingQueue({ ...recordings, atOnce: config.MEDIA_JOBS, ahead }))
  wakes.recorded.add(() => processing.wake())
  const recogniserOf = async (name: ProviderName, workspace: WorkspaceId) =>
    speech.recogniser(name, await providerKeys.settingsFor(workspace, vendorOf(name)))
  stopLater(stops, startTranscriptionQueue({ ...parts, folder: folders.words, recogniserOf }))
  stopLater(stops, startRetention({ ...deletion, log, now }))
}

async function openEncoder({ VIDEO_ENCODER, VIDEO_PRESET }: Config, log: Logger): Promise<Encoder> {
  const encoder = await chooseEncoder(VIDEO_ENCODER, VIDEO_PRESET)
  if (VIDEO_ENCODER === 'auto') log.info({ encoder: encoder.name }, 'video encoder chosen')
  // x264 is not tried: ffmpeg may be installed later, and `emissary doctor` checks it.
  const problem = VIDEO_ENCODER === 'auto' || VIDEO_ENCODER === 'x264' ? null : await encoderProblem(encoder)
  if (problem) throw new ConfigError(`VIDEO_ENCODER is ${VIDEO_ENCODER}, which does not work here: ${problem}. Set it to auto or x264.`)
  return { ...encoder, build: await buildOf() }
}
