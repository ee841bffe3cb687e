// The delay of live transcripts: people take turns in a real room, from the last sound of a sentence to its final result.
import { setTimeout as delay } from 'node:timers/promises'
import { inviteGuests } from '../../sims/room/guest.ts'
import { startLiveReceiver } from '../../test/helpers/callers/live-receiver.ts'
import { spokenWords, wordErrors } from '../../test/helpers/speech/speech-errors.ts'
import { SCRIPTS } from '../../test/helpers/speech/speech-native.ts'
import { line, speak } from '../../test/helpers/speech/spoken-line.ts'
import type { BenchServer } from '../harness/server.ts'
import { eventually, removeBot, request } from '../meeting/bots.ts'

const VOICES = ['slt', 'rms', 'awb'] as const
const BREATH_MS = 1_000
const RECEIVED_WITHIN_MS = 15_000

export type WordFigures = { readonly late: readonly number[]; readonly sentences: number; readonly wrong: number; readonly said: number }

/** Without cameras, which would cost CPU that is not measured here. */
export async function liveWords(server: BenchServer, people: number): Promise<WordFigures> {
  const voices = VOICES.slice(0, people)
  const finals: { readonly atMs: number; readonly name: string; readonly text: string }[] = []
  const receiver = await startLiveReceiver((body) => {
    if (body.is_final) finals.push({ atMs: Date.now(), name: body.speakerName, text: body.transcript })
  })
  server.atEnd(() => receiver.close())
  const meeting = `${server.url}/room/words-${people}`
  const cast = await inviteGuests(
    meeting,
    voices.map((name) => ({ name, colour: '#405060', query: { cam: '0' } })),
  )
  for (const guest of cast.people) await guest.join()
  const { bot_id: bot } = await request<{ bot_id: string }>(server, 'POST', 'create_bot', {
    meeting_link: meeting,
    video_required: false,
    recording_config: { transcript: { provider: 'native_streaming' } },
    live_transcription_required: { websocket_url: receiver.url },
  })
  await eventually('the bot listens', async () => receiver.texts.length > 0)
  const lines = await Promise.all([0, 1, 2, 3].flatMap((turn) => voices.map((voice) => line(voice, voice, SCRIPTS[voice][turn] ?? ''))))
  // The first result waits until the recogniser is loaded.
  await speak(cast.named('slt'), await line('slt', 'slt', 'Hello.'))
  await delay(RECEIVED_WITHIN_MS / 3)
  finals.length = 0

  const late: number[] = []
  for (const it of lines) {
    const known = finals.length
    const { endMs } = await speak(cast.named(it.name), it)
    const deadline = performance.now() + RECEIVED_WITHIN_MS
    // A pause may split a sentence in two. The last result counts.
    while (!finals.slice(known).some(({ atMs }) => atMs > endMs) && performance.now() < deadline) await delay(5)
    const last = finals.slice(known).findLast(({ atMs }) => atMs > endMs)
    if (last) late.push((last.atMs - endMs) / 1000)
    await delay(BREATH_MS)
  }
  await removeBot(server, bot)
  await cast.stop()
  const said = voices.map((voice) => spokenWords(SCRIPTS[voice].join(' ')))
  const recognised = voices.map((voice) => spokenWords(finals.filter(({ name }) => name === voice).map(({ text }) => text).join(' '))) // biome-ignore format: one line
  const wrong = said.map((words, at) => wordErrors(words, recognised[at] ?? []))
  return { late, sentences: lines.length, wrong: sum(wrong), said: sum(said.map((words) => words.length)) }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
