// create_bot, row by row of the specification's field and error tables.
import { describe, expect, test } from 'vitest'
import { serviceForFile } from '../helpers/service/for-file.ts'
import type { Answer } from '../helpers/service/service.ts'

const MEET = 'https://meet.google.com/abc-defg-hij'
const ZOOM = 'https://us02web.zoom.us/j/81234567890?pwd=secret.1'
const TEAMS = 'https://teams.microsoft.com/meet/2345678901234?p=abcDEF'
const PERSONAL_TEAMS = 'https://teams.live.com/meet/9312345678901?p=abcDEF'
const DAY_MS = 24 * 60 * 60_000

const service = serviceForFile()

const create = (body: unknown, headers?: Record<string, string>): Promise<Answer> =>
  service.api('POST', '/api/v1/bots/create_bot', body, headers)
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()

describe('create_bot', () => {
  test('answers Active and stores Joining for an immediate bot', async () => {
    const { status, body } = await create({ meeting_link: MEET, custom_attributes: { b: 1, a: [true, null] } })
    expect(status).toBe(201)
    expect(body).toEqual({
      bot_id: expect.stringMatching(/^bot_/),
      transcript_id: expect.stringMatching(/^trn_/),
      meeting_url: MEET,
      status: 'Active',
    })
    const detail = await service.api('GET', `/api/v1/bots/${body.bot_id}/detail`)
    expect(Object.keys(detail.body.bot_details.StatusTimeline)[0]).toBe('Joining')
    const read = await service.api('GET', `/api/v1/bots/${body.bot_id}/status`)
    expect(JSON.stringify(read.body.custom_attributes)).toBe('{"b":1,"a":[true,null]}')
  })

  test('answers Scheduled with join_at, and keeps the join time as start time', async () => {
    const join_at = inDays(2)
    const { status, body } = await create({ meeting_link: TEAMS, join_at })
    expect([status, body.status]).toEqual([201, 'Scheduled'])
    const { bot_details } = (await service.api('GET', `/api/v1/bots/${body.bot_id}/detail`)).body
    expect(bot_details).toMatchObject({ Status: 'Scheduled', StartTime: join_at, ScheduledJoinTime: join_at })
  })

  test('accepts every field in one request', async () => {
    const everything = {
      meeting_link: ZOOM,
      bot_name: 'Note taker',
      audio_required: true,
      video_required: false,
      audio_separate_streams: false,
      video_separate_streams: false,
      bot_message: 'Hello',
      bot_image_url: 'https://example.com/face.png',
      initial_audio: { url: 'https://example.com/hello.mp3' },
      callback_url: 'http://127.0.0.1:9/hook',
      join_at: inDays(3),
      custom_attributes: { tag: 'x' },
      deduplication_key: 'everything',
      automatic_leave: {
        waiting_room_timeout: 1200,
        no_one_joined_timeout: 60,
        everyone_left_timeout: 1800,
        voice_inactivity_timeout: 60,
        in_call_recording_timeout: 600,
        recording_permission_denied_timeout: 300,
        bot_detection: { using_participant_names: { matches: ['notetaker'], activate_after: 60, timeout: 300 } },
      },
      recording_config: {
        transcript: { provider: { native_streaming: { language: 'en' } } },
        video_layout: 'speaker_view',
        retention: { type: 'timed', hours: 24 },
        realtime_endpoints: [{ type: 'webhook', url: 'https://example.com/live', events: ['participant_events.join'] }],
      },
      live_transcription_required: { webhook_url: 'https://example.com/words' },
      live_audio_required: { websocket_url: 'wss://example.com/audio' },
      live_video_required: false,
      socket_connection_url: { websocket_url: 'wss://example.com/control' },
      platforma: { zak_url: 'https://example.com/zak?t=secret' },
      something_unknown: { is: 'ignored' },
    }
    const { status, body } = await create(everything)
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.transcript_id).toBeNull()
    const { RequestPayload } = (await service.api('GET', `/api/v1/bots/${body.bot_id}/detail`)).body.bot_details
    expect(RequestPayload).toEqual({ ...everything, platforma: { zak_url: '[hidden]' } })
  })

  test('accepts platform aliases, and errors name them', async () => {
    expect((await create({ meeting_link: ZOOM, zoom: { obf_url: 'https://example.com/obf' } })).status).toBe(201)
    const both = await create({ meeting_link: ZOOM, zoom: { obf_url: 'https://example.com/obf', zak_url: 'https://example.com/zak' } })
    expect(both).toMatchObject({ status: 400, body: { message: 'zoom must have only one of zak_url and obf_url.' } })
    const provider = await create({ meeting_link: MEET, recording_config: { transcript: { provider: 'meetstream' } } })
    expect(provider.status).toBe(201)
    const domain = await create({ meeting_link: MEET, google_meet: { google_login_domain: 'nobody.example' } })
    expect(domain).toMatchObject({
      status: 400,
      body: {
        message: 'google_meet.google_login_domain nobody.example is not registered. Register it with POST /api/v1/google-login-domains.',
      },
    })
  })
})

describe('an invalid request of create_bot', () => {
  test.each([
    { agent_config_id: 'agt_1' },
    { workflow_config_ids: ['wfl_1'] },
    { live_video_required: { websocket_url: 'wss://example.com' } },
  ])('is rejected with 400 and the field name if this server does not implement %j', async (unbuilt) => {
    const [name] = Object.keys(unbuilt)
    const message = `${name} is not supported by this server. Leave it out.`
    expect(await create({ meeting_link: MEET, ...unbuilt })).toMatchObject({ status: 400, body: { message } })
  })

  const leave = (automatic_leave: unknown, meeting_link = MEET) => ({ meeting_link, automatic_leave })
  const names = (using_participant_names: unknown) => leave({ bot_detection: { using_participant_names } })
  const provider = (it: unknown, rest = {}) => ({ meeting_link: MEET, recording_config: { transcript: { provider: it } }, ...rest })

  test.each<[body: unknown, field: RegExp]>([
    [undefined, /^meeting_link is required\.$/],
    [{}, /^meeting_link is required\.$/],
    [{ meeting_link: '' }, /^meeting_link is required\.$/],
    ['[]', /JSON object/],
    ['null', /JSON object/],
    ['{"meeting_link":', /must be valid JSON/],
    [{ meeting_link: 7 }, /^meeting_link must be a string/],
    [{ meeting_link: 'https://example.com/j/123456789' }, /^meeting_link .*not a supported/],
    [{ meeting_link: 'https://zoom.us.evil.example/j/123456789' }, /^meeting_link .*not a supported/],
    [{ meeting_link: 'https://zoom.us/' }, /^meeting_link /],
    [{ meeting_link: 'https://zoom.us/signin' }, /^meeting_link /],
    [{ meeting_link: 'https://zoom.us/download' }, /^meeting_link /],
    [{ meeting_link: 'https://meet.google.com/landing' }, /^meeting_link /],
    [{ meeting_link: 'ftp://meet.google.com/abc-defg-hij' }, /^meeting_link .*http/],
    [{ meeting_link: MEET, bot_name: '' }, /^bot_name /],
    [{ meeting_link: MEET, bot_name: '  ' }, /^bot_name /],
    [{ meeting_link: MEET, bot_name: 'x'.repeat(101) }, /^bot_name must have 1 to 100/],
    [{ meeting_link: MEET, audio_required: 'yes' }, /^audio_required must be a boolean: true or false\.$/],
    [{ meeting_link: null }, /^meeting_link must be a string/],
    [{ meeting_link: MEET, initial_audio: { url: null } }, /^initial_audio\.url must be a string/],
    [{ meeting_link: MEET, recording_config: { realtime_endpoints: [null] } }, /realtime_endpoints\.0 must be an object/],
    [{ meeting_link: MEET, custom_attributes: [] }, /^custom_attributes must be an object/],
    [{ meeting_link: MEET, callback_url: 'ftp://example.com' }, /^callback_url /],
    [{ meeting_link: MEET, callback_url: 'not a url' }, /^callback_url /],
    [{ meeting_link: MEET, join_at: 'soon' }, /^join_at .*ISO 8601/],
    [{ meeting_link: MEET, join_at: inDays(2).slice(0, 10) }, /^join_at .* with a time zone, such as \d{4}-\d\d-\d\dT\d\d:\d\d:00Z\.$/],
    [{ meeting_link: MEET, join_at: '2020-01-01T00:00:00Z' }, /^join_at must be in the future/],
    [{ meeting_link: MEET, join_at: inDays(91) }, /^join_at must be at most 90 days ahead/],
    [{ meeting_link: MEET, deduplication_key: '' }, /^deduplication_key /],
    [leave({ waiting_room_timeout: 601 }), /^automatic_leave\.waiting_room_timeout must be from 60 to 600/],
    [leave({ waiting_room_timeout: 1201 }, ZOOM), /^automatic_leave\.waiting_room_timeout must be from 60 to 1200/],
    [leave({ waiting_room_timeout: 1801 }, TEAMS), /^automatic_leave\.waiting_room_timeout must be from 60 to 1800/],
    [leave({ waiting_room_timeout: 59 }), /^automatic_leave\.waiting_room_timeout/],
    [leave({ in_call_recording_timeout: 599 }), /^automatic_leave\.in_call_recording_timeout must be from 600/],
    [leave({ in_call_recording_timeout: 18001 }), /^automatic_leave\.in_call_recording_timeout/],
    [leave({ recording_permission_denied_timeout: 59 }), /^automatic_leave\.recording_permission_denied_timeout must be from 60 to 300/],
    [leave({ recording_permission_denied_timeout: 301 }, ZOOM), /^automatic_leave\.recording_permission_denied_timeout/],
    [leave({ voice_inactivity_timeout: 1801 }), /^automatic_leave\.voice_inactivity_timeout must be from 60 to 1800/],
    [leave({ no_one_joined_timeout: 59 }), /^automatic_leave\.no_one_joined_timeout/],
    [leave({ everyone_left_timeout: 10.5 }), /^automatic_leave\.everyone_left_timeout must be an integer/],
    [leave([]), /^automatic_leave must be an object/],
    [names({ matches: [] }), /matches must have at least 1 item/],
    [names({ matches: [' '] }), /matches must not contain a blank/],
    [names({ matches: ['bot'], activate_after: 59 }), /activate_after must be from 60 to 1800/],
    [names({ matches: ['bot'], timeout: 301 }), /timeout must be from 5 to 300/],
    [provider('nobody'), /provider must be one of .*, not "nobody"/],
    [provider('deepgram'), /provider deepgram is not configured/],
    [provider({ native: {}, deepgram: {} }), /exactly one key/],
    [provider({ native: 'x' }), /must be an object/],
    [provider(5), /recording_config\.transcript\.provider must be/],
    [{ meeting_link: MEET, recording_config: { video_layout: 'mosaic' } }, /video_layout must be one of grid_view, speaker_view/],
    [{ meeting_link: MEET, recording_config: { retention: { hours: 0 } } }, /retention\.hours/],
    [
      { meeting_link: MEET, recording_config: { realtime_endpoints: [{ type: 'pigeon', url: 'x', events: ['y'] }] } },
      /realtime_endpoints\.0\.type/,
    ],
    [
      { meeting_link: MEET, recording_config: { realtime_endpoints: [{ type: 'webhook', url: 'https://example.com', events: ['y'] }] } },
      /events must not contain "y"/,
    ],
    [provider('native', { live_transcription_required: { webhook_url: 'https://example.com' } }), /webhook_url needs a streaming provider/],
    [{ meeting_link: MEET, live_transcription_required: {} }, /exactly one of webhook_url and websocket_url/],
    [
      provider('native_streaming', {
        live_transcription_required: { webhook_url: 'https://example.com', websocket_url: 'wss://example.com' },
      }),
      /exactly one of webhook_url and websocket_url/,
    ],
    [{ meeting_link: MEET, live_audio_required: {} }, /live_audio_required\.websocket_url is required/],
    [{ meeting_link: MEET, live_audio_required: { websocket_url: 'https://example.com' } }, /live_audio_required\.websocket_url /],
    [{ meeting_link: ZOOM, platforma: { zak_url: 'https://a.example', obf_url: 'https://b.example' } }, /only one of zak_url and obf_url/],
    [{ meeting_link: ZOOM, platforma: { zak_url: `https://a.example/${'x'.repeat(4096)}` } }, /^platforma\.zak_url .*4096/],
    ...['?meeting_number=1', 'meeting_number/1', '?x=meeting_number', '#meeting_number', '?meeting%5Fnumber=1'].map(
      (part): [unknown, RegExp] => [
        { meeting_link: ZOOM, platforma: { obf_url: `https://a.example/${part}` } },
        /^platforma\.obf_url must not contain meeting_number/,
      ],
    ),
    [{ meeting_link: MEET, platforma: { zak_url: 'https://a.example' } }, /^platforma\.zak_url is only for Zoom/],
    [{ meeting_link: ZOOM, use_platforma_obf: true }, /use_platforma_obf is no longer accepted/],
    [
      { meeting_link: ZOOM, platforma: { platforma_oauth_connection_user_id: 'x' } },
      /platforma_oauth_connection_user_id is no longer accepted/,
    ],
    [{ meeting_link: ZOOM, use_zoom_obf: true }, /use_zoom_obf is no longer accepted/],
    [{ meeting_link: ZOOM, zoom_oauth_connection_user_id: 'x' }, /zoom_oauth_connection_user_id is no longer accepted/],
    [{ meeting_link: MEET, platformb: { platformb_login_domain: 'nobody.example' } }, /nobody\.example is not registered/],
    [{ meeting_link: TEAMS, platformc: { platformc_login_domain: 'nobody.example' } }, /nobody\.example is not registered/],
    [{ meeting_link: PERSONAL_TEAMS, platformc: { login_required: true } }, /login_required is not allowed for personal/],
    [{ meeting_link: MEET, initial_audio: {} }, /initial_audio\.url is required/],
    [{ meeting_link: MEET, custom_attributes: { a: '\u0000' } }, /^custom_attributes\.a must not contain a control character/],
  ])('is rejected with 400 and the field name: %j', async (body, field) => {
    const before = await service.api('GET', '/api/v1/bots?limit=1')
    const answer = await create(body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(400)
    expect(answer.body.message).toMatch(field)
    const after = await service.api('GET', '/api/v1/bots?limit=1')
    expect(after.body.bots[0]?.bot_id).toBe(before.body.bots[0]?.bot_id)
  })

  test('is accepted with the misspelt noone_joined_timeout, which is ignored', async () => {
    expect((await create(leave({ noone_joined_timeout: 1 }))).status).toBe(201)
  })

  test('is rejected with another Content-Type or above 1 MB', async () => {
    const text = await create('meeting_link=x', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(text).toMatchObject({ status: 400, body: { message: 'Content-Type must be application/json.' } })
    const large = await create({ meeting_link: MEET, custom_attributes: { text: 'x'.repeat(1_100_000) } })
    expect(large).toMatchObject({ status: 400, body: { message: 'The request body must be at most 1 MB.' } })
  })
})
