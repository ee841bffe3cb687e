import type pg from 'pg'
import { expect, test } from 'vitest'
import { copyOut } from './copy.ts'

/** A connection whose socket notes whether it is paused. */
function fakeConnection() {
  const socket = {
    isPaused: false,
    pause() {
      this.isPaused = true
    },
    resume() {
      this.isPaused = false
    },
    destroy: () => undefined,
  }
  const connection = { stream: socket, query: () => undefined } as unknown as pg.Connection
  const client = {
    query(statement: { submit(connection: pg.Connection): void }) {
      statement.submit(connection)
      return statement
    },
  } as unknown as pg.Client
  return { socket, client }
}

type Answer = {
  handleCopyData(message: { readonly chunk: Buffer }): void
  handleCommandComplete(): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}

const MORE_THAN_IS_BUFFERED = Buffer.alloc(300 * 1024)

test('leaves the socket flowing when the last rows and the end of the answer come together', () => {
  const { socket, client } = fakeConnection()
  const rows = copyOut(client, 'copy bots to stdout') as unknown as Answer
  rows.handleCopyData({ chunk: MORE_THAN_IS_BUFFERED })
  expect(socket.isPaused).toBe(true)
  rows.handleCommandComplete()
  rows.handleReadyForQuery()
  expect(socket.isPaused).toBe(false)
})

test('leaves the socket flowing after an error of the server', () => {
  const { socket, client } = fakeConnection()
  const stream = copyOut(client, 'copy bots to stdout')
  stream.on('error', () => undefined)
  const rows = stream as unknown as Answer
  rows.handleCopyData({ chunk: MORE_THAN_IS_BUFFERED })
  rows.handleError(new Error('cancelled'))
  expect(socket.isPaused).toBe(false)
})
