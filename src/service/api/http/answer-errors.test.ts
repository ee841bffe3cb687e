import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { ERRORS, type ErrorCode, ServiceError } from '../../../domain/errors.ts'
import { addRetryAfter, answerError } from './answer-errors.ts'

test('adds Retry-After to every 429 and 503 and to no other error', async () => {
  const app = Fastify()
  app.decorateRequest('wording', null)
  app.setErrorHandler(answerError)
  app.addHook('onSend', addRetryAfter)
  const codes = Object.keys(ERRORS) as ErrorCode[]
  for (const code of codes) {
    app.get(`/${code}`, async () => {
      throw new ServiceError(code)
    })
  }
  app.get('/by_hand', async (_request, reply) => reply.code(503).send({ status: 'not ready' }))
  app.get('/with_time', async () => {
    throw new ServiceError('bot_unreachable', 'Later.', {}, 17)
  })
  for (const path of [...codes, 'by_hand', 'with_time']) {
    const { statusCode, headers } = await app.inject(`/${path}`)
    const wanted = statusCode === 429 || statusCode === 503
    expect(headers['retry-after'], path).toEqual(wanted ? expect.stringMatching(/^[1-9]\d*$/) : undefined)
  }
  expect((await app.inject('/with_time')).headers['retry-after']).toBe('17')
})
