import { Compile } from 'typebox/schema'
import { expect, test } from 'vitest'
import { CreateBotBody } from '../../../../src/service/api/bots/create/schema.ts'
import { CREATE_BOT } from '../../api/constants.gen.ts'
import { bodyOf, PROVIDER_OPTIONS } from './draft.ts'
import { FIRST, groupsOf } from './fields.ts'
import { snippetsOf } from './snippet-code.ts'

const LINK = 'https://meet.google.com/abc-defg-hij'
const GROUPS = groupsOf(CREATE_BOT)
const FIELDS = [...FIRST, ...GROUPS.flatMap(({ fields }) => fields)]

test('sends only the link for an otherwise empty form', () => {
  expect(bodyOf({ meeting_link: ` ${LINK} ` }, FIELDS)).toEqual({ body: { meeting_link: LINK }, problems: {} })
})

test('has a labelled field in a group for every option of create_bot', () => {
  expect(GROUPS.map(({ title, fields }) => `${title}: ${fields.length}`)).toEqual([
    ...[
      'Recording: 6',
      'Transcription: 3',
      'In the meeting: 3',
      'Automatic leave: 9',
      'Attributes and deduplication: 2',
      'Webhooks and sockets: 4',
    ],
    'Signing in: 9',
  ])
  expect(GROUPS.flatMap(({ fields }) => fields).filter(({ label }) => !/^[A-Z]/.test(label))).toEqual([])
})

test('maps every field of the form to its field of create_bot', () => {
  const draft = {
    meeting_link: LINK,
    bot_name: 'Notes',
    video_required: 'no',
    'recording_config.video_layout': 'speaker_view',
    'recording_config.retention.hours': '48',
    'recording_config.transcript.provider': 'deepgram',
    custom_attributes: 'team:sales week=46',
    'automatic_leave.everyone_left_timeout': '60',
    'automatic_leave.bot_detection.using_participant_names.matches': 'notetaker, recorder',
    'initial_audio.url': 'https://example.com/hello.mp3',
    'platformb.strict_email': 'yes',
  }
  const { body, problems } = bodyOf(draft, FIELDS)
  expect(problems).toEqual({})
  expect(body).toEqual({
    meeting_link: LINK,
    bot_name: 'Notes',
    video_required: false,
    custom_attributes: { team: 'sales', week: '46' },
    recording_config: { video_layout: 'speaker_view', transcript: { provider: 'deepgram' }, retention: { hours: 48 } },
    automatic_leave: {
      everyone_left_timeout: 60,
      bot_detection: { using_participant_names: { matches: ['notetaker', 'recorder'] } },
    },
    initial_audio: { url: 'https://example.com/hello.mp3' },
    platformb: { strict_email: true },
  })
  expect(Compile(CreateBotBody).Check(body)).toBe(true)
})

test('merges JSON of a field, or reports it as a problem of the field', () => {
  const endpoints = '[{"type": "webhook", "url": "https://example.com", "events": ["participant_events.join"]}]'
  const path = 'recording_config.realtime_endpoints'
  expect(bodyOf({ meeting_link: LINK, [path]: endpoints }, FIELDS).body).toMatchObject({
    recording_config: { realtime_endpoints: [{ type: 'webhook' }] },
  })
  expect(bodyOf({ meeting_link: LINK, [path]: '[{"ty' }, FIELDS)).toEqual({
    body: { meeting_link: LINK },
    problems: { [path]: 'Invalid JSON.' },
  })
  const provider = { 'recording_config.transcript.provider': 'deepgram', [PROVIDER_OPTIONS]: '{"model": "nova-3"}' }
  expect(bodyOf({ meeting_link: LINK, ...provider }, FIELDS).body).toMatchObject({
    recording_config: { transcript: { provider: { deepgram: { model: 'nova-3' } } } },
  })
})

test('quotes for the shell and for Python in snippets', () => {
  const [curl, , python] = snippetsOf('https://bots.example', { bot_name: "Ada's notes", video_required: false, more: [null] })
  expect(curl?.code).toContain("Ada'\\''s notes")
  expect(python?.code).toContain('{"bot_name": "Ada\'s notes", "video_required": False, "more": [None]}')
})
