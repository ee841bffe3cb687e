// Cancels work for a client that disconnects before its answer.
import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../domain/errors.ts'

/** Aborts when the connection closes before the answer is sent. */
export function signalOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort(new ServiceError('client_gone'))
  })
  return controller.signal
}
