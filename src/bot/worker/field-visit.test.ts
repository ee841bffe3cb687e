import { expect, test } from 'vitest'
import { specFor } from '../../../test/helpers/service/fleet.ts'
import type { MeetingEvent } from '../../domain/meeting.ts'
import { createQueue } from '../../kit/async-queue.ts'
import type { MeetingDriver } from '../drivers/driver.ts'
import { visitField } from './field-visit.ts'

test('leaves at once when it is aborted in the moment of its admission', async () => {
  const asked = new AbortController()
  const events = createQueue<MeetingEvent>()
  const driver = {
    knock: async () => ({ kind: 'asked' }),
    async enter() {
      asked.abort()
      return { kind: 'admitted' }
    },
    events: () => events,
    leave: async () => events.end(),
  } as unknown as MeetingDriver
  const orders = { driver: 'google_meet', pageRules: null, staySeconds: 3_600, withPictures: false } as const
  const steps = await visitField({ ...orders, spec: specFor('https://meet.google.com/abc-defg-hij') }, async () => driver, asked.signal)
  expect(steps.at(-1)).toMatchObject({ kind: 'verdict', verdict: 'admitted, then stayed' })
})
