// Sarvam after the call: a job is made, its sound put into their store, started, asked after, and its result fetched from there.
import { asFields, asList, asNumber, asText, type Fields, orNull, Unreadable } from './answer.ts'
import { createClient, type Endpoint, type Patience, poll, readable, type VendorClient } from './http.ts'
import { mergeOptions, type OptionRules } from './options.ts'
import { recogniserInPieces } from './pieces.ts'
import { type Recogniser, SpeechFailed } from './provider.ts'
import { sentence } from './refusal.ts'
import { jsonUpload, type Sound, soundUpload } from './upload.ts'
import { type SpokenWord, spread, toUtterances } from './utterances.ts'

const VENDOR = 'Sarvam'
const JOBS = '/speech-to-text/job/v1'
/** Their limit is an hour. */
const MOST_SECONDS = 55 * 60
const RULES: OptionRules = {
  defaults: { model: 'saaras:v3', language_code: 'unknown' },
  renamed: { language: 'language_code' },
  ours: ['with_timestamps', 'input_audio_codec', 'callback'],
}

export function sarvam(endpoint: Endpoint, patience?: Patience): Recogniser {
  const headers = { 'api-subscription-key': endpoint.apiKey }
  const client = createClient({ vendor: VENDOR, endpoint, headers, ...(patience && { patience }) })
  return recogniserInPieces(() => ({
    mostSeconds: MOST_SECONDS,
    async hear(sound, options, signal) {
      const job_parameters = { ...mergeOptions(options, RULES), with_timestamps: true }
      const job = await fieldsOf(client, { path: JOBS, upload: jsonUpload({ job_parameters }) }, signal)
      const id = await readable(VENDOR, () => asText(job.job_id, 'job_id'))
      await put(client, id, sound, signal)
      await client.bytes({ path: `${JOBS}/${encodeURIComponent(id)}/start`, upload: jsonUpload({}) }, signal)
      const output = await poll(client, client.patience.hearingMs(sound.seconds), () => outputOf(client, id, signal), signal)
      const file = await storeUrl(client, { what: 'download', id, file: output }, signal)
      const raw = await client.json({ path: file }, signal)
      return readable(VENDOR, () => {
        const answer = asFields(raw, 'answer')
        const transcript = asText(answer.transcript, 'transcript')
        return { utterances: toUtterances(readWords(answer, transcript, sound.seconds), transcript), raw }
      })
    },
  }))
}

async function put(client: VendorClient, id: string, sound: Sound, signal: AbortSignal): Promise<void> {
  const path = await storeUrl(client, { what: 'upload', id, file: sound.name }, signal)
  const deadlineMs = client.patience.hearingMs(sound.seconds)
  // Their store is Azure's, which asks for the kind of object.
  await client.bytes({ method: 'PUT', path, upload: soundUpload(sound), headers: { 'x-ms-blob-type': 'BlockBlob' }, deadlineMs }, signal)
}

type Stored = { readonly what: 'upload' | 'download'; readonly id: string; readonly file: string }

async function storeUrl(client: VendorClient, { what, id, file }: Stored, signal: AbortSignal): Promise<string> {
  const answer = await fieldsOf(client, { path: `${JOBS}/${what}-files`, upload: jsonUpload({ job_id: id, files: [file] }) }, signal)
  return readable(VENDOR, () => {
    const urls = asFields(answer[`${what}_urls`], `${what}_urls`)
    const url = asText(asFields(urls[file], `${what}_urls.${file}`).file_url, `${what}_urls.${file}.file_url`)
    // What begins with a slash would be asked of Sarvam itself, with the key.
    if (!/^https?:\/\//.test(url)) throw new Unreadable(`${what}_urls.${file}.file_url must be a URL.`)
    return url
  })
}

/** The name of the file with the result; null while the job runs. */
async function outputOf(client: VendorClient, id: string, signal: AbortSignal): Promise<string | null> {
  const status = await fieldsOf(client, { path: `${JOBS}/${encodeURIComponent(id)}/status` }, signal)
  return readable(VENDOR, () => {
    const state = asText(status.job_state, 'job_state')
    if (state === 'Accepted' || state === 'Pending' || state === 'Running') return null
    const details = orNull(asList)(status.job_details, 'job_details') ?? []
    const detail = details.length > 0 ? asFields(details[0], 'job_details[0]') : {}
    const [output] = orNull(asList)(detail.outputs, 'job_details[0].outputs') ?? []
    if (state === 'Completed' && output)
      return asText(asFields(output, 'job_details[0].outputs[0]').file_name, 'job_details[0].outputs[0].file_name')
    const reasons = [detail.error_message, status.error_message].filter((reason) => typeof reason === 'string' && reason !== '')
    throw new SpeechFailed(`${VENDOR} failed: ${sentence(String(reasons[0] ?? `the job is ${state} and has no result`))}`, {
      passing: false,
    })
  })
}

/** Their `words` are phrases with a start and an end. */
function readWords(answer: Fields, transcript: string, seconds: number): SpokenWord[] {
  const times = orNull(asFields)(answer.timestamps, 'timestamps')
  if (!times) return spread(transcript, 0, seconds)
  const starts = asList(times.start_time_seconds, 'timestamps.start_time_seconds')
  const ends = asList(times.end_time_seconds, 'timestamps.end_time_seconds')
  return asList(times.words, 'timestamps.words').flatMap((value, index) => {
    const start = asNumber(starts[index], `timestamps.start_time_seconds[${index}]`)
    const end = asNumber(ends[index], `timestamps.end_time_seconds[${index}]`)
    return spread(asText(value, `timestamps.words[${index}]`), start, end)
  })
}

async function fieldsOf(client: VendorClient, leg: Parameters<VendorClient['json']>[0], signal: AbortSignal): Promise<Fields> {
  const answer = await client.json(leg, signal)
  return readable(VENDOR, () => asFields(answer, 'answer'))
}
