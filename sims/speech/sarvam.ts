// Sarvam's batch interface: a job, a store with signed addresses, and a result file in the store.
import { phrases, transcriptOf } from './tone-words.ts'
import { decode, KEY, type Reply, type Route, type SpeechSim, serveVendor } from './vendor.ts'

type Job = { readonly parameters: Record<string, unknown>; polls: number; isStarted: boolean; sound: Buffer | null }
type Answer = Route['answer']

const refuse = (status: number, code: string, message: string): Reply => ({
  status,
  body: { error: { message, code, request_id: 'request-1' } },
})
const JOBS = '/speech-to-text/job/v1'

export function startSarvam(): Promise<SpeechSim> {
  const jobs = new Map<string, Job>()
  const member =
    (answer: Answer): Answer =>
    (asked, parts) =>
      asked.headers['api-subscription-key'] === KEY
        ? answer(asked, parts)
        : refuse(403, 'invalid_api_key_error', `Invalid credentials ${String(asked.headers['api-subscription-key'])}`)
  const ofJob =
    (answer: (job: Job, id: string) => Reply): Answer =>
    (_, [id = '']) => {
      const job = jobs.get(id)
      return job ? answer(job, id) : refuse(404, 'not_found_error', 'Unknown job')
    }
  const initiate: Answer = ({ body }) => {
    const { job_parameters } = JSON.parse(body.toString())
    if (job_parameters.model === 'none') return refuse(400, 'invalid_request_error', 'model: Input should be saaras:v3')
    const id = `job-${jobs.size + 1}`
    jobs.set(id, { parameters: job_parameters, polls: 0, isStarted: false, sound: null })
    return { status: 202, body: { job_id: id, storage_container_type: 'Azure_V1', job_parameters: {}, job_state: 'Accepted' } }
  }
  const links =
    (sim: SpeechSim, what: 'upload' | 'download'): Answer =>
    ({ body }) => {
      const { job_id, files } = JSON.parse(body.toString())
      const urls = files.map((file: string) => [
        file,
        { file_url: `${sim.baseUrl}/store/${job_id}/${file}?signature=s`, file_metadata: null },
      ])
      return { body: { job_id, job_state: 'Accepted', [`${what}_urls`]: Object.fromEntries(urls), storage_container_type: 'Azure_V1' } }
    }

  return serveVendor((sim) => [
    { method: 'POST', path: RegExp(`^${JOBS}$`), answer: member(initiate) },
    { method: 'POST', path: RegExp(`^${JOBS}/upload-files$`), answer: member(links(sim, 'upload')) },
    { method: 'POST', path: RegExp(`^${JOBS}/download-files$`), answer: member(links(sim, 'download')) },
    {
      method: 'POST',
      path: RegExp(`^${JOBS}/([^/]+)/start$`),
      answer: member(
        ofJob((job, job_id) => Object.assign(job, { isStarted: job.sound !== null }) && { body: { job_id, job_state: 'Pending' } }),
      ),
    },
    { method: 'GET', path: RegExp(`^${JOBS}/([^/]+)/status$`), answer: member(ofJob(statusOf)) },
    { method: 'PUT', path: /^\/store\/([^/]+)\/[^/]+$/, answer: (asked, [id = '']) => store(jobs.get(id), asked) },
    { method: 'GET', path: /^\/store\/([^/]+)\/0\.json$/, isMain: true, answer: (asked, [id = '']) => result(sim, jobs.get(id), asked) },
  ])
}

function statusOf(job: Job, job_id: string): Reply {
  if (!job.isStarted) return { body: { job_id, job_state: 'Failed', error_message: 'No file was uploaded', job_details: [] } }
  if (job.polls++ === 0) return { body: { job_id, job_state: 'Running', job_details: null } }
  const details = [
    { inputs: [{ file_name: 'sound.flac', file_id: '0' }], outputs: [{ file_name: '0.json', file_id: '0' }], state: 'Success' },
  ]
  return { body: { job_id, job_state: 'Completed', total_files: 1, successful_files_count: 1, job_details: details } }
}

/** The store checks signatures. A client that sends it the API key has leaked the key. */
function store(job: Job | undefined, { headers, query, body }: Parameters<Answer>[0]): Reply {
  if (headers['api-subscription-key'] !== undefined || query.get('signature') !== 's')
    return { status: 403, body: '<Error>AuthenticationFailed</Error>' }
  if (headers['x-ms-blob-type'] !== 'BlockBlob') return { status: 400, body: '<Error>MissingRequiredHeader</Error>' }
  if (job) job.sound = body
  return { status: 201, body: '' }
}

async function result(sim: SpeechSim, job: Job | undefined, { headers }: Parameters<Answer>[0]): Promise<Reply> {
  if (headers['api-subscription-key'] !== undefined || !job?.sound) return { status: 403, body: '<Error>AuthenticationFailed</Error>' }
  const sound = await decode(sim, job.sound)
  if (!sound) return { status: 404, body: '<Error>BlobNotFound</Error>' }
  const spoken = phrases(sound.words)
  const timestamps = {
    words: spoken.map(({ text }) => text),
    start_time_seconds: spoken.map(({ words }) => words[0]?.start),
    end_time_seconds: spoken.map(({ words }) => words.at(-1)?.end),
  }
  const isTimed = job.parameters.with_timestamps === true
  return {
    body: {
      request_id: 'request-1',
      transcript: transcriptOf(sound.words),
      language_code: 'en-IN',
      timestamps: isTimed ? timestamps : null,
    },
  }
}
