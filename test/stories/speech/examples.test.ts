// The example programs of docs/examples that read live words, run as their pages say, with a bot in a real room.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { KEY, type Route, type SpeechSim, serveVendor } from '../../../sims/speech/vendor.ts'
import { synthesise } from '../../../src/speech/text-to-speech.ts'
import { wav } from '../../helpers/callers/files-server.ts'
import { NO_VIDEO, Stage, withoutCamera } from '../../helpers/meetings/bot-in-room.ts'
import { freePort } from '../../helpers/service/free-port.ts'
import { API_KEY, startTestService, WITH_BOTS } from '../../helpers/service/service.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 180_000
const VOICE_HZ = 1500
const NATIVE = { recording_config: { transcript: { provider: 'native_streaming' } } }
/** The bot's voice is a tone, which differs from Ada's speech. */
const TONE_VOICE: Route = {
  method: 'POST',
  path: /^\/v1\/audio\/speech$/,
  answer: () => ({ headers: { 'content-type': 'audio/wav' }, body: wav(VOICE_HZ, 3) }),
}

let stage: Stage
let voice: SpeechSim
beforeAll(async () => {
  voice = await serveVendor(() => [TONE_VOICE])
  const settings = { ...WITH_BOTS, VOICE_URL: `${voice.baseUrl}/v1`, VOICE_API_KEY: KEY }
  stage = new Stage(await startTestService(settings))
})
afterAll(async () => {
  await stage?.service.stop()
  await voice?.close()
})

/** Starts an example and waits until it accepts requests. It ends with the test. */
async function startExample(name: string): Promise<{ readonly url: string; readonly printed: () => string }> {
  const port = await freePort()
  const env = { PATH: process.env.PATH, PORT: String(port), API: `${stage.service.url}/api/v1`, KEY: API_KEY }
  const program: ChildProcess = spawn(process.execPath, [`docs/examples/${name}`], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    program.kill()
    if (program.exitCode === null && program.signalCode === null) await once(program, 'exit')
  })
  let output = ''
  program.stdout?.on('data', (chunk: Buffer) => (output += chunk))
  await until(`${name} listens`, () => output.includes(`on port ${port}`), 20_000)
  return { url: `http://127.0.0.1:${port}/`, printed: () => output }
}

async function adaAndBot(room: string, webhook: string) {
  const people = await stage.cast(room, withoutCamera({ name: 'Ada', colour: '#b03060', joinAt: null }))
  const bot = await stage.send(room, { ...NATIVE, ...NO_VIDEO, live_transcription_required: { webhook_url: webhook } })
  await stage.has(bot, 'Recording')
  return { ada: people.named('Ada'), bot }
}

test(
  'prints in live-captions.mjs what a participant says, with the name',
  async () => {
    const captions = await startExample('live-captions.mjs')
    const { ada, bot } = await adaAndBot('captions', captions.url)
    await ada.speak(await synthesise({ text: 'Good morning everybody.', voice: 'slt', language: null }))
    await until('the final caption', () => /^ {2}Ada: .*morning/im.test(captions.printed()), 60_000)
    await stage.remove(bot)
  },
  LONG_MS,
)

test(
  'answers a question aloud in the meeting with voice-agent.mjs',
  async () => {
    const agent = await startExample('voice-agent.mjs')
    const { ada, bot } = await adaAndBot('agent', agent.url)
    await ada.speak(await synthesise({ text: 'What time is it now?', voice: 'slt', language: null }))
    const fromBot = async () => (await ada.listen(VOICE_HZ)).find(({ name }) => name === 'Emissary')
    await until('Ada hears the answer', async () => ((await fromBot())?.at[VOICE_HZ] ?? 0) > 0.05, 60_000)
    await until('the agent prints it', () => agent.printed().includes('Said: It is '))
    expect(JSON.parse(String(voice.asked[0]?.body))).toMatchObject({ input: expect.stringMatching(/^It is \d+:\d\d/) })
    await stage.remove(bot)
  },
  LONG_MS,
)
