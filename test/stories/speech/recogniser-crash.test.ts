// A recogniser process that is killed while a bot listens, and speech from a custom endpoint.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEY, type Route, type SpeechSim, serveVendor } from '../../../sims/speech/vendor.ts'
import { synthesise } from '../../../src/speech/text-to-speech.ts'
import { wav } from '../../helpers/callers/files-server.ts'
import { startLiveReceiver } from '../../helpers/callers/live-receiver.ts'
import { Stage } from '../../helpers/meetings/bot-in-room.ts'
import { startTestService, WITH_BOTS } from '../../helpers/service/service.ts'
import { processesUnderWorkers } from '../../helpers/service/worker-processes.ts'
import { spokenWords } from '../../helpers/speech/speech-errors.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 180_000
const VOICE_HZ = 1500
/** A speech endpoint with OpenAI's API, whose voice is a tone. */
const SPEECH_ENDPOINT: Route = {
  method: 'POST',
  path: /^\/v1\/audio\/speech$/,
  answer: () => ({ headers: { 'content-type': 'audio/wav' }, body: wav(VOICE_HZ, 3) }),
}

let stage: Stage
let endpoint: SpeechSim
beforeAll(async () => {
  endpoint = await serveVendor(() => [SPEECH_ENDPOINT])
  const voice = { VOICE_URL: `${endpoint.baseUrl}/v1`, VOICE_API_KEY: KEY, VOICE_NAME: 'nova' }
  stage = new Stage(await startTestService({ ...WITH_BOTS, ...voice }))
})
afterAll(async () => {
  await stage?.service.stop()
  await endpoint?.close()
})

async function errorsOf(id: string): Promise<Record<string, unknown>[]> {
  const rows = await stage.service.db.selectFrom('events').select('body').where('bot_id', '=', id).execute()
  return rows.map(({ body }) => JSON.parse(body)).filter(({ event }) => event === 'bot.error')
}

test(
  'reports bot.error when the recogniser is killed, stays, speaks, and transcribes again',
  async () => {
    const finals: string[] = []
    const socket = await startLiveReceiver((body) => {
      if (body.is_final) finals.push(String(body.transcript))
    })
    const people = await stage.cast('killed', { name: 'Ada', colour: '#b03060', joinAt: null })
    const ada = people.named('Ada')
    await ada.stopCamera()
    const words = await synthesise({ text: 'Good morning everybody.', voice: 'slt', language: null })
    const provider = { recording_config: { transcript: { provider: 'native_streaming' } } }
    const live_transcription_required = { websocket_url: socket.url }
    const id = await stage.send('killed', { ...provider, video_required: false, live_transcription_required })
    await stage.has(id, 'Recording')
    await ada.speak(words)
    await until('the first words', () => finals.length === 1, 30_000)

    const listeners = processesUnderWorkers('speech/native/recogniser.ts')
    expect(listeners.length).toBeGreaterThan(0)
    for (const pid of listeners) process.kill(pid, 'SIGKILL')
    await until('the failure is reported', async () => (await errorsOf(id)).length === 1)
    const [error] = await errorsOf(id)
    expect(error).toMatchObject({ bot_status: 'InMeeting', message: expect.stringContaining('the recognition process ended') })
    expect(error).not.toHaveProperty('status_code')

    expect(await stage.command(id, 'speak', { text: 'Hello' })).toMatchObject({ status: 200 })
    const ofBot = async () => (await ada.listen(VOICE_HZ)).find(({ name }) => name === 'Emissary')
    await until('Ada hears the endpoint’s voice', async () => ((await ofBot())?.at[VOICE_HZ] ?? 0) > 0.05, 20_000)
    expect(endpoint.asked.map(({ headers, body }) => [headers.authorization, JSON.parse(body.toString())])).toMatchObject([
      [`Bearer ${KEY}`, { input: 'Hello', voice: 'nova', model: 'tts-1' }],
    ])

    const isRecognisedAgain = async () => {
      await ada.speak(words)
      return finals.length > 1
    }
    await until('words come again', isRecognisedAgain, 60_000)
    expect(finals.flatMap(spokenWords)).toContain('morning')
    expect((await stage.detail(id)).Status).toBe('InMeeting')
    expect(await errorsOf(id)).toHaveLength(1)
    await stage.finish(id)
    await socket.close()
  },
  LONG_MS,
)
