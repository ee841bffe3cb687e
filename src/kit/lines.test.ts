import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { linesOf } from './lines.ts'

const linesIn = (...chunks: readonly Buffer[]) => Readable.from(linesOf(Readable.from(chunks))).toArray()

test('joins lines and characters that are cut by chunks', async () => {
  const bytes = Buffer.from('Grüße\n\nzwei\ndrei')
  const inBytes = Array.from(bytes, (byte) => Buffer.from([byte]))
  expect(await linesIn(...inBytes)).toEqual(['Grüße', '', 'zwei', 'drei'])
  expect(await linesIn(bytes)).toEqual(['Grüße', '', 'zwei', 'drei'])
})

test('has no line after the last line feed', async () => {
  expect(await linesIn(Buffer.from('eins\n'))).toEqual(['eins'])
  expect(await linesIn()).toEqual([])
})
