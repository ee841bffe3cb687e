// Requests to the service: one error type, one function, and the token and workspace on every request.
import type { SessionAnswer } from '../../src/service/api/dashboard/schema.ts'
import { client } from './api/client.gen.ts'

/** An error answer of the service. Its message is meant for users. */
export class ServiceProblem extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const OFFLINE = 'The service does not answer. Check the connection. The page retries automatically.'

const context = { csrf: '', workspace: '' }

export function rememberToken(session: SessionAnswer): void {
  context.csrf = session.csrf_token
}

export function chooseWorkspace(workspace: string): void {
  context.workspace = workspace
}

client.setConfig({ baseUrl: '' })
client.interceptors.request.use((request) => {
  request.headers.set('x-csrf-token', context.csrf)
  request.headers.set('x-workspace', context.workspace)
  return request
})

type Answer<Data> = { readonly data?: Data | undefined; readonly error?: unknown; readonly response?: Response | undefined }

/** Unwraps an operation of the generated client. 202 (not ready) is an error too. */
export async function ask<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (!response) throw new ServiceProblem(0, OFFLINE)
  // A replayed Idempotency-Key answers 507 with the existing bot.
  if (response.status === 507) return error as Data
  if (error !== undefined || response.status === 202) throw new ServiceProblem(response.status, messageIn(error ?? data))
  return data as Data
}

/** Null if there is none yet. */
export async function orNull<Data>(asked: Promise<Data>): Promise<Data | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ServiceProblem && [202, 404, 422].includes(error.status)) return null
    throw error
  }
}

/** The dashboard's own API, which the published description omits. */
export async function askOwn<Data = unknown>(method: string, path: string, body?: unknown): Promise<Data> {
  const headers = { 'x-csrf-token': context.csrf, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const response = await fetch(`/dashboard/v1${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ServiceProblem(0, OFFLINE)
  })
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw new ServiceProblem(response.status, messageIn(answer))
  return answer as Data
}

function messageIn(answer: unknown): string {
  const message = typeof answer === 'object' && answer !== null && 'message' in answer ? answer.message : null
  return typeof message === 'string' ? message : 'Something went wrong. Try again.'
}

/** Rewrites a signed link of the service to this page's origin. */
export function ownLink(url: string): string {
  const { pathname, search } = new URL(url, location.href)
  return pathname.startsWith('/media/') ? pathname + search : url
}
