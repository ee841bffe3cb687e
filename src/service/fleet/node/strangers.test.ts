import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { NodeReply } from './node-questions.ts'
import { Strangers } from './strangers.ts'

const HOLDER = { id: 'node_h', address: 'http://h', key: 'key' }

function open(...predecessors: readonly string[]) {
  const state = { nowMs: 0, reply: 'silent' as NodeReply }
  const strangers = new Strangers({ ask: async () => state.reply, predecessors: new Set(predecessors), nowMs: () => state.nowMs })
  const look = async (reply: NodeReply, afterMs = 1_000) => {
    state.nowMs += afterMs
    state.reply = reply
    strangers.observe([HOLDER])
    await setImmediate()
    return strangers.left()
  }
  return { strangers, state, look }
}

const answer = (holds: boolean): NodeReply => ({ promisedMs: 0, holds })

test('leaves the bots of a holder that answers, and of one that does not', async () => {
  const { look } = open()
  expect([await look(answer(true)), await look('silent', 60_000)]).toEqual([[], []])
})

test('takes the bots of a holder that says it has none', async () => {
  const { look } = open()
  expect(await look(answer(false))).toEqual(['node_h'])
})

test('takes the bots of a holder that has been gone for longer than its workers need to leave', async () => {
  const { look } = open()
  expect([await look('gone'), await look('gone', 7_000), await look('gone', 500)]).toEqual([[], [], ['node_h']])
})

test('takes the bots of an earlier process of this machine, which cannot answer', async () => {
  const { look } = open(HOLDER.id)
  expect([await look('silent'), await look('silent', 7_500)]).toEqual([[], ['node_h']])
})

test('waits anew for a holder that has answered meanwhile', async () => {
  const { look } = open()
  expect([await look('gone'), await look('silent', 7_000), await look('gone')]).toEqual([[], [], []])
})

test('uses an answer for three seconds', async () => {
  const { strangers, state, look } = open()
  await look(answer(false))
  state.nowMs += 3_000
  expect(strangers.left()).toEqual([])
})
