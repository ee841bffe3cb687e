import { expect, test } from 'vitest'
import { neutral, withCallerNames } from './aliases.ts'

test('renames every alias to its neutral name, at the top level and in sections', () => {
  const { body, usedAliases } = neutral({
    zoom: { use_zoom_obf: true },
    google_meet: { google_login_domain: 'a.example' },
    teams: { teams_login_domain: 'b.example', sign_in_email: 'x' },
    other: 1,
  })
  expect(body).toEqual({
    platforma: { use_platforma_obf: true },
    platformb: { platformb_login_domain: 'a.example' },
    platformc: { platformc_login_domain: 'b.example', sign_in_email: 'x' },
    other: 1,
  })
  expect(withCallerNames('platformb.platformb_login_domain and platforma.zak_url are wrong.', usedAliases)).toBe(
    'google_meet.google_login_domain and zoom.zak_url are wrong.',
  )
})

test('prefers the neutral name if both are sent, and leaves non-objects unchanged', () => {
  expect(neutral({ zoom: { zak_url: 'a' }, platforma: { zak_url: 'b' } }).body).toEqual({ platforma: { zak_url: 'b' } })
  expect(neutral({ platforma: 'text', recording_config: null }).body).toEqual({ platforma: 'text', recording_config: null })
})
