// Sarvam after the call: creates a job, uploads the audio to its store, starts the job, polls it, and downloads the result.
import { sentenceOf } from '../../domain/counted.ts'
import { createClient, type Endpoint, poll, type RetryPolicy, type VendorClient } from '../http/client.ts'
import { type JsonValue, Unreadable } from '../http/json-value.ts'
import { type AudioFile, audioUpload, jsonUpload } from '../http/upload.ts'
import { type Recogniser, type Recognition, SpeechFailed } from '../provider.ts'
import { spread, toUtterances, type VendorWord } from '../utterances.ts'
import { mergeOptions, type OptionRules } from './options.ts'
import { splittingRecogniser, type Transcribe } from './split-recording.ts'

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
  const client = createClient({ vendor: VENDOR, endpoint, headers, retryPolicy })
  const transcribe: Transcribe = async (audio, options, signal) => {
    const job_parameters = { ...mergeOptions(options, RULES), with_timestamps: true }
    const create = { path: JOBS, upload: jsonUpload({ job_parameters }) }
    const id = await client.json(create, (answer) => answer.at('job_id').text(), signal)
    await put(client, id, audio, signal)
    await client.bytes({ path: `${JOBS}/${encodeURIComponent(id)}/start`, upload: jsonUpload({}) }, signal)
    const status = { path: `${JOBS}/${encodeURIComponent(id)}/status` }
    const output = await poll(client, audio.seconds, () => client.json(status, readOutput, signal), signal)
    const path = await storeUrl(client, { direction: 'download', id, file: output }, signal)
    return client.json({ path }, (answer) => readRecognition(answer, audio.seconds), signal)
  }
  return splittingRecogniser(transcribe, () => MOST_SECONDS)
}

async function put(client: VendorClient, id: string, audio: AudioFile, signal: AbortSignal): Promise<void> {
  const path = await storeUrl(client, { direction: 'upload', id, file: audio.name }, signal)
  // The store is Azure Blob Storage, which requires the blob type.
  await client.bytes({ method: 'PUT', path, upload: audioUpload(audio), headers: { 'x-ms-blob-type': 'BlockBlob' } }, signal)
}

type Stored = { readonly direction: 'upload' | 'download'; readonly id: string; readonly file: string }

async function storeUrl(client: VendorClient, { direction, id, file }: Stored, signal: AbortSignal): Promise<string> {
  const call = { path: `${JOBS}/${direction}-files`, upload: jsonUpload({ job_id: id, files: [file] }) }
  const read = (answer: JsonValue): string => {
    const url = answer.at(`${direction}_urls`).at(file).at('file_url').text()
    // A path would be requested from Sarvam itself, with our key.
    if (!/^https?:\/\//.test(url)) throw new Unreadable(`${direction}_urls.${file}.file_url must be a URL.`)
    return url
  }
  return client.json(call, read, signal)
}

/** The name of the result file; null while the job runs. */
function readOutput(status: JsonValue): string | null {
  const state = status.at('job_state').text()
  if (state === 'Accepted' || state === 'Pending' || state === 'Running') return null
  const [detail] = status.at('job_details').listIfAny()
  const [output] = detail?.at('outputs').listIfAny() ?? []
  if (state === 'Completed' && output?.value) return output.at('file_name').text()
  const reasons = [detail, status].map((failed) => failed?.at('error_message').value)
  const reason = reasons.find((text) => typeof text === 'string' && text !== '') ?? `the job is ${state} and has no result`
  throw new SpeechFailed(`${VENDOR} failed: ${sentenceOf(String(reason))}`, { retryable: false })
}

function readRecognition(answer: JsonValue, seconds: number): Recognition {
  const transcript = answer.at('transcript').text()
  return { utterances: toUtterances(readWords(answer.at('timestamps'), transcript, seconds), transcript), raw: answer.value }
}

/** Sarvam's `words` are phrases with a start and an end. */
function readWords(times: JsonValue, transcript: string, seconds: number): VendorWord[] {
  if (times.isMissing) return spread(transcript, 0, seconds)
  const [starts, ends] = [times.at('start_time_seconds'), times.at('end_time_seconds')]
  return times
    .at('words')
    .list()
    .flatMap((words, index) => {
      const [start, end] = [starts.item(index).number(), ends.item(index).number()]
      return spread(words.text(), start, end)
    })
}
