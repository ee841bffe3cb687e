// Sarvam after the call: creates a job, uploads the audio to its store, starts the job, polls it, and downloads the result.

import { createClient, type Endpoint, poll, type RetryPolicy, readAnswer, type VendorClient } from '../http/client.ts'
import { asFields, asList, asNumber, asText, type Fields, orNull, Unreadable } from '../http/json-fields.ts'
import { sentence } from '../http/refusal.ts'
import { type AudioFile, audioUpload, jsonUpload } from '../http/upload.ts'
import { type Recogniser, SpeechFailed } from '../provider.ts'
import { spread, toUtterances, type VendorWord } from '../utterances.ts'
import { mergeOptions, type OptionRules } from './options.ts'
import { splittingRecogniser } from './split-recording.ts'

const VENDOR = 'Sarvam'
const JOBS = '/speech-to-text/job/v1'
/** Sarvam's limit is an hour. */
const MOST_SECONDS = 55 * 60
const RULES: OptionRules = {
  defaults: { model: 'saaras:v3', language_code: 'unknown' },
  renamed: { language: 'language_code' },
  reserved: ['with_timestamps', 'input_audio_codec', 'callback'],
}

export function sarvam(endpoint: Endpoint, retryPolicy?: RetryPolicy): Recogniser {
  const headers = { 'api-subscription-key': endpoint.apiKey }
  const client = createClient({ vendor: VENDOR, endpoint, headers, ...(retryPolicy && { retryPolicy }) })
  return splittingRecogniser(() => ({
    mostSeconds: MOST_SECONDS,
    async transcribe(audio, options, signal) {
      const job_parameters = { ...mergeOptions(options, RULES), with_timestamps: true }
      const job = await fieldsOf(client, { path: JOBS, upload: jsonUpload({ job_parameters }) }, signal)
      const id = await readAnswer(VENDOR, () => asText(job.job_id, 'job_id'))
      await put(client, id, audio, signal)
      await client.bytes({ path: `${JOBS}/${encodeURIComponent(id)}/start`, upload: jsonUpload({}) }, signal)
      const output = await poll(client, client.retryPolicy.audioRequestMs(audio.seconds), () => outputOf(client, id, signal), signal)
      const file = await storeUrl(client, { direction: 'download', id, file: output }, signal)
      const raw = await client.json({ path: file }, signal)
      return readAnswer(VENDOR, () => {
        const answer = asFields(raw, 'answer')
        const transcript = asText(answer.transcript, 'transcript')
        return { utterances: toUtterances(readWords(answer, transcript, audio.seconds), transcript), raw }
      })
    },
  }))
}

async function put(client: VendorClient, id: string, audio: AudioFile, signal: AbortSignal): Promise<void> {
  const path = await storeUrl(client, { direction: 'upload', id, file: audio.name }, signal)
  const deadlineMs = client.retryPolicy.audioRequestMs(audio.seconds)
  // The store is Azure Blob Storage, which requires the blob type.
  await client.bytes({ method: 'PUT', path, upload: audioUpload(audio), headers: { 'x-ms-blob-type': 'BlockBlob' }, deadlineMs }, signal)
}

type Stored = { readonly direction: 'upload' | 'download'; readonly id: string; readonly file: string }

async function storeUrl(client: VendorClient, { direction, id, file }: Stored, signal: AbortSignal): Promise<string> {
  const answer = await fieldsOf(client, { path: `${JOBS}/${direction}-files`, upload: jsonUpload({ job_id: id, files: [file] }) }, signal)
  return readAnswer(VENDOR, () => {
    const urls = asFields(answer[`${direction}_urls`], `${direction}_urls`)
    const url = asText(asFields(urls[file], `${direction}_urls.${file}`).file_url, `${direction}_urls.${file}.file_url`)
    // A path would be requested from Sarvam itself, with our key.
    if (!/^https?:\/\//.test(url)) throw new Unreadable(`${direction}_urls.${file}.file_url must be a URL.`)
    return url
  })
}

/** The name of the result file; null while the job runs. */
async function outputOf(client: VendorClient, id: string, signal: AbortSignal): Promise<string | null> {
  const status = await fieldsOf(client, { path: `${JOBS}/${encodeURIComponent(id)}/status` }, signal)
  return readAnswer(VENDOR, () => {
    const state = asText(status.job_state, 'job_state')
    if (state === 'Accepted' || state === 'Pending' || state === 'Running') return null
    const details = orNull(asList)(status.job_details, 'job_details') ?? []
    const detail = details.length > 0 ? asFields(details[0], 'job_details[0]') : {}
    const [output] = orNull(asList)(detail.outputs, 'job_details[0].outputs') ?? []
    if (state === 'Completed' && output)
      return asText(asFields(output, 'job_details[0].outputs[0]').file_name, 'job_details[0].outputs[0].file_name')
    const reasons = [detail.error_message, status.error_message].filter((reason) => typeof reason === 'string' && reason !== '')
    throw new SpeechFailed(`${VENDOR} failed: ${sentence(String(reasons[0] ?? `the job is ${state} and has no result`))}`, {
      retryable: false,
    })
  })
}

/** Sarvam's `words` are phrases with a start and an end. */
function readWords(answer: Fields, transcript: string, seconds: number): VendorWord[] {
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
  return readAnswer(VENDOR, () => asFields(answer, 'answer'))
}
