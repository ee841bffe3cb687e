// How the page speaks with the service: one error, one way to ask, the token and the workspace on every request.
import type { SessionAnswer } from '../../src/service/api/schemas/dashboard.ts'
import { client } from './api/client.gen.ts'

/** What the service answered instead of what was asked for; its message is written for people. */
export class ServiceProblem extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const OFFLINE = 'The service does not answer. Check the connection; the page tries again by itself.'

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

/** Unwraps an operation of the generated client. What is not ready yet (202) is a problem, too. */
export async function ask<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (!response) throw new ServiceProblem(0, OFFLINE)
  // A replayed Idempotency-Key answers 507 with the bot that is there already.
  if (response.status === 507) return error as Data
  if (error !== undefined || response.status === 202) throw new ServiceProblem(response.status, messageIn(error ?? data))
  return data as Data
}

/** Null where there is none, or not yet. */
export async function orNull<Data>(asked: Promise<Data>): Promise<Data | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ServiceProblem && [202, 404, 422].includes(error.status)) return null
    throw error
  }
}

/** The dashboard's own API, which the published description leaves out. */
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

/** A signed link of our own service as an address of this page's origin, whatever name the page was opened under. */
export function ownLink(url: string): string {
  const { pathname, search } = new URL(url, location.href)
  return pathname.startsWith('/media/') ? pathname + search : url
}
