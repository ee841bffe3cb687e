// The six vendors by their API documentation: authentication, parameters, and the format of answers.
import { phrases, type ToneWord, transcriptOf } from './tone-words.ts'
import { type Asked, decode, KEY, type Reply, type Route, readForm, type SpeechSim, serveVendor } from './vendor.ts'

type Answer = Route['answer']
type Refuse = (status: number, reason: string) => Reply

/** Rejects a wrong key with the vendor's own message. Some repeat the key in it. */
const letIn =
  (header: string, wanted: string, [status, refuse]: [number, Refuse], answer: Answer): Answer =>
  (asked, parts) =>
    asked.headers[header] === wanted ? answer(asked, parts) : refuse(status, `Invalid credentials ${String(asked.headers[header])}`)

const written = (words: readonly ToneWord[]) => phrases(words).flatMap((phrase) => phrase.words)

export function startDeepgram(): Promise<SpeechSim> {
  const refuse: Refuse = (status, err_msg) => ({ status, body: { err_code: 'INVALID_AUTH', err_msg, request_id: 'request-1' } })
  const listen = (sim: SpeechSim): Answer =>
    letIn('authorization', `Token ${KEY}`, [401, refuse], async ({ body, query }) => {
      if (query.get('model') === 'none')
        return { status: 400, body: { category: 'INVALID', message: 'No such model/language combination' } }
      const sound = await decode(sim, body)
      if (!sound) return refuse(400, 'Bad Request: failed to process audio')
      const words = written(sound.words).map(({ word, written, start, end }) => ({
        word,
        start,
        end,
        confidence: 0.9,
        punctuated_word: written,
      }))
      const alternatives = [{ transcript: transcriptOf(sound.words), confidence: 0.9, words }]
      return {
        body: { metadata: { request_id: 'request-1', duration: sound.seconds, channels: 1 }, results: { channels: [{ alternatives }] } },
      }
    })
  return serveVendor((sim) => [{ method: 'POST', path: /^\/v1\/listen$/, isMain: true, answer: listen(sim) }])
}

export function startAssemblyai(): Promise<SpeechSim> {
  const refuse: Refuse = (status, error) => ({ status, body: { error } })
  const uploads = new Map<string, Buffer>()
  const orders = new Map<string, { url: string; polls: number }>()
  const member = (answer: Answer) => letIn('authorization', KEY, [401, refuse], answer)
  const order: Answer = ({ body }) => {
    const { audio_url, speech_models } = JSON.parse(body.toString())
    if (speech_models?.includes('none')) return refuse(400, '"speech_models" must be one of the following: universal-3-pro')
    if (!uploads.has(audio_url)) return refuse(400, 'The audio_url is not ours')
    const id = `transcript-${orders.size + 1}`
    orders.set(id, { url: audio_url, polls: 0 })
    return { body: { id, status: 'queued', audio_url } }
  }
  const transcript =
    (sim: SpeechSim): Answer =>
    async (_, [id = '']) => {
      const job = orders.get(id)
      if (!job) return refuse(404, 'Transcript lookup error, transcript id not found')
      if (job.polls++ === 0) return { body: { id, status: 'processing', text: null, words: null } }
      const sound = await decode(sim, uploads.get(job.url) ?? Buffer.alloc(0))
      if (!sound) return { body: { id, status: 'error', error: 'Transcoding failed. File does not appear to contain audio.' } }
      const ms = (seconds: number) => Math.round(seconds * 1000)
      const words = written(sound.words).map(({ written, start, end }) => ({
        text: written,
        start: ms(start),
        end: ms(end),
        confidence: 0.9,
        speaker: null,
      }))
      return { body: { id, status: 'completed', text: transcriptOf(sound.words), words } }
    }
  const upload: Answer = ({ body }) => {
    const url = `https://cdn.assemblyai.com/upload/${uploads.size + 1}`
    uploads.set(url, body)
    return { body: { upload_url: url } }
  }
  return serveVendor((sim) => [
    { method: 'POST', path: /^\/v2\/upload$/, answer: member(upload) },
    { method: 'POST', path: /^\/v2\/transcript$/, answer: member(order) },
    { method: 'GET', path: /^\/v2\/transcript\/([^/]+)$/, isMain: true, answer: member(transcript(sim)) },
  ])
}

const openaiRefuse: Refuse = (status, message) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
})
const MOST_OPENAI_BYTES = 25 * 1000 * 1000

type OpenaiForm = { readonly model: string; readonly format: string; readonly fileName: string; readonly bytes: number }

const OPENAI_RULES: readonly [(form: OpenaiForm) => boolean, number, string][] = [
  [({ model }) => model === 'none', 400, 'invalid model ID'],
  [
    ({ model, format }) => model.startsWith('gpt-') && format === 'verbose_json',
    400,
    "response_format 'verbose_json' is not compatible with this model",
  ],
  [({ fileName }) => !/\.(flac|mp3|wav|ogg|m4a|webm)$/.test(fileName), 400, 'Invalid file format'],
  [({ bytes }) => bytes > MOST_OPENAI_BYTES, 413, 'Maximum content size limit (26214400) exceeded'],
]

export function startOpenai(extra: readonly Route[] = []): Promise<SpeechSim> {
  const recognise = (sim: SpeechSim): Answer =>
    letIn('authorization', `Bearer ${KEY}`, [401, openaiRefuse], async (asked) => {
      const { fields, file, fileName } = await readForm(asked)
      const [[model = 'none'], [format = 'json']] = [fields.model ?? [], fields.response_format ?? []]
      const form = { model, format, fileName: String(fileName), bytes: asked.body.length }
      const rule = OPENAI_RULES.find(([isBroken]) => isBroken(form))
      if (rule) return openaiRefuse(rule[1], rule[2])
      const sound = file && (await decode(sim, file))
      if (!sound) return openaiRefuse(400, 'Audio file might be corrupted or unsupported')
      return { body: openaiAnswer(sound.words, format, fields['timestamp_granularities[]'] ?? [], sound.seconds) }
    })
  return serveVendor((sim) => [{ method: 'POST', path: /^\/audio\/transcriptions$/, isMain: true, answer: recognise(sim) }, ...extra])
}

function openaiAnswer(words: readonly ToneWord[], format: string, granularities: readonly string[], duration: number): unknown {
  const text = transcriptOf(words)
  if (format === 'json') return { text, usage: { type: 'tokens' } }
  const segments = phrases(words).map((phrase, id) => ({
    id,
    text: ` ${phrase.text}`,
    start: phrase.words[0]?.start,
    end: phrase.words.at(-1)?.end,
    avg_logprob: Math.log(0.9),
  }))
  // Whisper's words have no punctuation.
  const bare = written(words).map(({ written, start, end }) => ({ word: written.replace('.', ''), start, end }))
  return { task: 'transcribe', language: 'english', duration, text, ...(granularities.includes('word') && { words: bare }), segments }
}

export function startElevenlabs(): Promise<SpeechSim> {
  const refuse: Refuse = (status, message) => ({ status, body: { detail: { status: 'refused', message } } })
  const recognise = (sim: SpeechSim): Answer =>
    letIn('xi-api-key', KEY, [401, refuse], async (asked) => {
      const { fields, file } = await readForm(asked)
      if (fields.model_id?.[0] === 'none')
        return { status: 422, body: { detail: [{ loc: ['body', 'model_id'], msg: 'none is not a valid model_id', type: 'value_error' }] } }
      const sound = file && (await decode(sim, file))
      if (!sound) return refuse(400, 'The audio could not be read')
      const words = written(sound.words).flatMap(({ written: text, start, end }, index) => [
        ...(index === 0 ? [] : [{ text: ' ', start, end: start, type: 'spacing', logprob: 0 }]),
        { text, start, end, type: 'word', logprob: Math.log(0.9), speaker_id: 'speaker_0' },
      ])
      return { body: { language_code: 'eng', language_probability: 0.98, text: transcriptOf(sound.words), words } }
    })
  return serveVendor((sim) => [{ method: 'POST', path: /^\/v1\/speech-to-text$/, isMain: true, answer: recognise(sim) }])
}

export function startJigsawstack(): Promise<SpeechSim> {
  const refuse: Refuse = (status, message) => ({ status, body: { success: false, message } })
  const recognise = (sim: SpeechSim): Answer =>
    letIn('x-api-key', KEY, [401, refuse], async (asked: Asked) => {
      const { fields, file } = await readForm(asked)
      const options = JSON.parse(fields.body?.[0] ?? 'null')
      if (options.language === 'none') return refuse(400, 'language: Invalid enum value')
      const sound = file && (await decode(sim, file))
      if (!sound) return refuse(400, 'The file is no audio')
      const chunks = phrases(sound.words).map(({ text, words }) => ({ text, timestamp: [words[0]?.start, words.at(-1)?.end] }))
      return { body: { success: true, text: transcriptOf(sound.words), chunks, log_id: 'log-1', _usage: { total_tokens: 1 } } }
    })
  return serveVendor((sim) => [{ method: 'POST', path: /^\/v1\/ai\/transcribe$/, isMain: true, answer: recognise(sim) }])
}
