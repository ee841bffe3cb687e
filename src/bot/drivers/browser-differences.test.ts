import { expect, test } from 'vitest'
import { reasonFor } from './browser-differences.ts'

test.each(['camera', 'microphone', 'local-network-access', 'local-network', 'loopback-network'])(
  'has a reason for the permission %s only where the bot has it',
  (name) => {
    expect(reasonFor(`permission ${name}`, 'granted', 'prompt')).toContain('without a question')
    expect(reasonFor(`permission ${name}`, 'denied', 'prompt')).toBeNull()
  },
)

test.each(['permission geolocation', 'permission notifications', 'Notification.permission'])(
  'has a reason for %s only where the bot lacks it',
  (fact) => {
    expect(reasonFor(fact, 'denied', 'prompt')).toContain('No person')
    expect(reasonFor(fact, 'granted', 'prompt')).toBeNull()
  },
)
