import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { specFor } from '../../../../test/helpers/service/fleet.ts'
import { DoorSigns } from '../browser-meeting/door-signs.ts'
import { knock } from '../browser-meeting/knock.ts'
import type { PageLog } from '../browser-meeting/page-log.ts'
import { Tab } from '../browser-meeting/tab.ts'
import { googleMeet } from './client.ts'

test('refuses an account of an unsupported kind before any page is opened', async () => {
  // Every use of the page throws.
  const tab = new Tab({ page: () => ({}) as Page, observers: 'x', pageRules: googleMeet.pageRules, isGone: () => false })
  const signs = new DoorSigns(googleMeet, {} as PageLog)
  const spec = specFor('https://meet.google.com/abc-defg-hij')
  const tryAfresh = () => Promise.reject(new Error('No try is made'))
  for (const mode of ['always', 'if_required'] as const) {
    const account = { kind: 'password' as const, email: 'bot@acme.example', mode, password: 'open sesame' }
    expect(
      await knock(
        {
          client: googleMeet,
          tab,
          input: tab,
          signs,
          spec,
          purpose: 'record',
          account,
          token: null,
          browser: { isSignedIn: false, cookies: [] },
          tryAfresh,
          now: () => 0,
        },
        new AbortController().signal,
      ),
    ).toEqual({
      kind: 'failed',
      reason: 'LoginFailed',
      message: 'bot@acme.example cannot be signed in: Google Meet cannot be joined with an e-mail address and a password',
    })
  }
})
