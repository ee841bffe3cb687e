// Requests to the service: one error type, one function, and the token and workspace on every request.
import { client } from './api/client.gen.ts'
import type { Session } from './api/types.gen.ts'

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

export function rememberToken(session: Session): void {
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

/** Null if the answer has one of the statuses; by default, those of data that does not exist yet. */
export async function orNull<Data>(asked: Promise<Data>, statuses = [202, 404, 422]): Promise<Data | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ServiceProblem && statuses.includes(error.status)) return null
    throw error
  }
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
