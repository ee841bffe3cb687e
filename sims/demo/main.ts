// The demo: a service, a room with three people who talk, a bot among them, and its recording. Nothing leaves this machine.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/service/config.ts'
import { startService } from '../../src/service/main.ts'
import { startPeople } from '../room/people.ts'
import { type Captured, fetchCaptured } from './downloads.ts'
import { PLAY, SECONDS } from './script.ts'
import { listen } from './webhook-receiver.ts'

const API_KEY = 'the-demo-has-a-key-of-its-own'
const asJson = process.argv.includes('--json')
const started = performance.now()

/** Prints a line with the seconds since the start. */
function print(who: string, what: string): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(6)
  process.stderr.write(`${seconds} s  ${who.padEnd(8)} ${what}\n`)
}

async function play(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'emissary-demo-'))
  print('service', `starts, with its own PostgreSQL, in ${directory}`)
  const place = { PORT: '0', DATA_DIR: directory, BOOTSTRAP_API_KEY: API_KEY }
  const settings = { ...place, ALLOW_INSECURE_URLS: 'true', BROWSER_MODE: 'headless', LOG_LEVEL: 'error' }
  const service = await startService(readConfig(settings))
  const news = await listen((event) => print('bot', `${event.bot_event}: ${event.message}`))
  try {
    const room = `${service.url}/room/demo`
    print('people', `${PLAY.map(({ name }) => name).join(', ')} meet in ${room}`)
    const people = await startPeople({ roomUrl: room, people: PLAY, startsWhen: news.until('bot.recording') })
    for (const person of people.people) await person.join()

    const api = client(service.url)
    const sentAt = performance.now()
    const { bot_id: botId } = await api('POST', '/api/v1/bots/create_bot', {
      meeting_link: room,
      bot_name: 'Emissary',
      bot_message: 'Hello, I am a bot and I record this meeting.',
      callback_url: news.url,
    })
    print('you', `POST /api/v1/bots/create_bot -> ${botId}`)
    await news.until('bot.inmeeting')
    const joinMs = performance.now() - sentAt
    print('people', `talk, share a screen and write, for ${SECONDS} s`)
    await people.played
    const host = people.people[0]
    print('people', `${host?.name} ends the meeting for everybody`)
    await host?.endForAll()
    await news.until('bot.done')
    await people.stop()

    const read = (what: string) => api('GET', `/api/v1/bots/${botId}/${what}`)
    const { bot_details: detail } = await read('detail')
    const chats = await read('get_chats')
    const captured = await fetchCaptured(join(directory, 'delivered'), {
      audio: await read('get_audio'),
      video: await read('get_video'),
      audioStreams: await read('get_audio_streams'),
      videoStreams: await read('get_recording_streams'),
    })
    const figures = { create_to_in_meeting_ms: Math.round(joinMs), meeting_seconds: detail.Duration, delivered_bytes: captured.bytes }
    const chat = chats.chatMessages.map((it: { speakerName: string; text: string }) => ({ name: it.speakerName, text: it.text }))
    const statuses = Object.keys(detail.StatusTimeline)
    const transcript = await wordsOf(api, detail)
    show(captured, chat, transcript)
    if (asJson) {
      const { participants, files } = captured
      process.stdout.write(`${JSON.stringify({ bot_id: botId, statuses, participants, files, chat, transcript, figures })}\n`)
    }
  } finally {
    await news.close()
    await service.stop()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers are shown, not checked.
type Ask = (method: string, path: string, body?: object) => Promise<any>

function client(url: string): Ask {
  return async (method, path, body) => {
    const headers = { authorization: `Token ${API_KEY}`, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`)
    return answer
  }
}

type Said = { readonly name: string; readonly text: string }

/** Empty if the speech models are not installed. The recording is complete without them. */
async function wordsOf(api: Ask, { transcript_id, TranscriptStatus }: Record<string, string>): Promise<readonly Said[]> {
  if (TranscriptStatus !== 'Success') return []
  const segments = await api('GET', `/api/v1/transcript/${transcript_id}/get_transcript`)
  return segments.map((it: { speaker: string; text: string }) => ({ name: it.speaker, text: it.text }))
}

function show({ participants, files, bytes }: Captured, chat: readonly Said[], transcript: readonly Said[]): void {
  const lines = [
    '',
    'The bot delivered',
    ...participants.map(
      ({ name, audio_seconds, video_seconds }) => `  ${name.padEnd(8)} ${audio_seconds} s of audio, ${video_seconds} s of video`,
    ),
    ...transcript.map(({ name, text }) => `  said     ${name}: ${text}`),
    ...chat.map(({ name, text }) => `  chat     ${name}: ${text}`),
    `  in all   ${(bytes / 1e6).toFixed(1)} MB`,
    '',
    ...Object.entries(files).map(([what, file]) => `  ${what.padEnd(20)} ${file}`),
    '',
  ]
  process.stderr.write(`${lines.join('\n')}\n`)
}

await play()
