import { expect, test } from 'vitest'
import { bodyOf, EMPTY } from './draft.ts'
import { snippetsOf } from './snippet-code.ts'

const LINK = 'https://meet.google.com/abc-defg-hij'

test('a form with nothing but a link asks for nothing else', () => {
  expect(bodyOf({ ...EMPTY, link: ` ${LINK} ` })).toEqual({ body: { meeting_link: LINK }, problem: null })
})

test('every field of the form becomes its field of create_bot', () => {
  const draft = {
    ...EMPTY,
    link: LINK,
    name: 'Notes',
    video: false,
    layout: 'speaker_view',
    provider: 'deepgram',
    attributes: 'team:sales week=46',
  } as const
  expect(bodyOf(draft).body).toEqual({
    meeting_link: LINK,
    bot_name: 'Notes',
    video_required: false,
    custom_attributes: { team: 'sales', week: '46' },
    recording_config: { video_layout: 'speaker_view', transcript: { provider: 'deepgram' } },
  })
})

test('the JSON of other options is merged in, or named as a problem', () => {
  expect(bodyOf({ ...EMPTY, link: LINK, more: '{"deduplication_key": "a"}' }).body).toMatchObject({ deduplication_key: 'a' })
  expect(bodyOf({ ...EMPTY, link: LINK, more: '{"dedup' })).toEqual({ body: { meeting_link: LINK }, problem: 'This is not JSON yet.' })
})

test('snippets quote what a shell and Python would take apart', () => {
  const [curl, , python] = snippetsOf('https://bots.example', { bot_name: "Ada's notes", video_required: false, more: [null] })
  expect(curl?.code).toContain("Ada'\\''s notes")
  expect(python?.code).toContain('{"bot_name": "Ada\'s notes", "video_required": False, "more": [None]}')
})
