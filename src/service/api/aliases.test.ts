import { expect, test } from 'vitest'
import { inCallersWords, neutral } from './aliases.ts'

test('every alias becomes its neutral name, at the top and inside sections', () => {
  const { body, spoken } = neutral({
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
  expect(inCallersWords('platformb.platformb_login_domain and platforma.zak_url are wrong.', spoken)).toBe(
    'google_meet.google_login_domain and zoom.zak_url are wrong.',
  )
})

test('the neutral name counts where both are sent, and what is not an object stays as it is', () => {
  expect(neutral({ zoom: { zak_url: 'a' }, platforma: { zak_url: 'b' } }).body).toEqual({ platforma: { zak_url: 'b' } })
  expect(neutral({ platforma: 'text', recording_config: null }).body).toEqual({ platforma: 'text', recording_config: null })
})
