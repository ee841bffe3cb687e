// Tries in fresh browsers after a refusal, by a page that refuses each of them.
import { expect, test, vi } from 'vitest'
import { specFor } from '../../../../test/helpers/service/fleet.ts'
import { DoorSigns } from '../browser-meeting/door-signs.ts'
import { factsOf } from '../browser-meeting/facts.ts'
import { knock } from '../browser-meeting/knock.ts'
import type { PageLog } from '../browser-meeting/page-log.ts'
import type { Tab } from '../browser-meeting/tab.ts'
import type { Afresh, DoorTools } from '../browser-meeting/visit.ts'
import { googleMeet } from './client.ts'

const URL = 'https://meet.google.com/abc-defg-hij'

/** `open`: opens a fresh context or browser. */
function refusing(open: (where: Afresh) => Promise<void>): DoorTools {
  let at = 0
  const page = { goto: async () => ({ status: () => 200 }), url: () => URL, on: () => undefined, off: () => undefined }
  const seen = { facts: factsOf({ text: "You can't join this video call" }, URL), screen: 'refused' }
  const tab = { page, isGone: false, see: async () => seen, rest: async () => undefined } as unknown as Tab
  const tools: DoorTools = {
    client: googleMeet,
    tab,
    input: tab,
    signs: new DoorSigns(googleMeet, {} as PageLog),
    spec: specFor(URL),
    purpose: 'record',
    account: null,
    token: null,
    browser: { isSignedIn: false, cookies: [] },
    tryAfresh: (where) => open(where).then(() => tools),
    now: () => (at += 1_000),
  }
  return tools
}

const knockAt = (tools: DoorTools) => knock(tools, new AbortController().signal)

test('tries in a fresh context and three fresh browsers before it believes a refusal', async () => {
  const open = vi.fn(async () => undefined)
  expect(await knockAt(refusing(open))).toEqual({
    kind: 'blocked',
    reason: 'JoinRefused',
    message: expect.stringMatching(/^Google Meet does not let this client join.* \(try 5, in a fresh browser\)$/),
  })
  expect(open.mock.calls.flat()).toEqual(['context', 'browser', 'browser', 'browser'])
})

test('ends with the refusal where no fresh browser starts', async () => {
  const open = async (where: Afresh): Promise<void> => {
    if (where === 'browser') throw new Error('spawn chromium ENOMEM')
  }
  expect(await knockAt(refusing(open))).toEqual({
    kind: 'blocked',
    reason: 'JoinRefused',
    message: expect.stringMatching(/^Google Meet does not let this client join.* \(a fresh browser could not be opened\)$/),
  })
})

test('fails where the bot’s own browser opens no context', async () => {
  const open = () => Promise.reject(new Error('Target page, context or browser has been closed'))
  await expect(knockAt(refusing(open))).rejects.toThrow('has been closed')
})
