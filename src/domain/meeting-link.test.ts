// Every accepted row of the platforms' link tables, and the fields of a parsed link.
import { describe, expect, test } from 'vitest'
import { parseMeetingLink } from './meeting-link.ts'

const TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47'
const ORGANISER = '0d1c2b3a-1111-2222-3333-444455556666'
const THREAD = '19:meeting_NjQ1ZDQ3YzAtYzU1Yy00@thread.v2'
const CONTEXT = `{"Tid":"${TENANT}","Oid":"${ORGANISER}"}`
const CHANNEL = '19:abcDEF0123456789@thread.tacv2'
const LONG = `https://teams.microsoft.com/l/meetup-join/${encodeURIComponent(THREAD)}/0?context=${encodeURIComponent(CONTEXT)}`
const TEAMS = 'https://teams.microsoft.com'
const COORDS = btoa(JSON.stringify({ conversationId: THREAD, tenantId: TENANT, organizerId: ORGANISER, messageId: '0' }))
const TOKEN = 'AbCdEfGhIjKlMnOpQrStUv'
const ROOM_TOKEN = `1794822000.${'aB3_-'.repeat(9).slice(0, 43)}`
const ROOM_BASE = 'http://127.0.0.1:4000'

const read = (text: string) => parseMeetingLink(text, { roomBase: ROOM_BASE })
const wrapped = (url: string) => `https://www.google.com/url?q=${encodeURIComponent(url)}&sa=D&source=calendar`
const safe = (url: string) => `https://nam12.safelinks.protection.outlook.com/?url=${encodeURIComponent(url)}&data=05%7C01&reserved=0`

/** Text, the meeting's id, the normal address. */
const LINKS: Readonly<Record<string, readonly (readonly [text: string, meetingId: string, url: string])[]>> = {
  zoom: [
    ['https://zoom.us/j/123456789', '123456789', 'https://zoom.us/j/123456789'],
    ['https://us02web.zoom.us/j/12345678901?pwd=aBc123.1', '12345678901', 'https://us02web.zoom.us/j/12345678901?pwd=aBc123.1'],
    ['https://zoom.us/j/1234567890?pwd=abc&tk=tok_1&from=addon#success', '1234567890', 'https://zoom.us/j/1234567890?pwd=abc&tk=tok_1'],
    ['https://acme.zoom.com/j/1234567890', '1234567890', 'https://acme.zoom.us/j/1234567890'],
    ['https://zoom.com/j/1234567890', '1234567890', 'https://zoom.us/j/1234567890'],
    ['https://acme.zoom.us/s/1234567890', '1234567890', 'https://acme.zoom.us/j/1234567890'],
    ['https://zoom.us/wc/join/1234567890?pwd=x1', '1234567890', 'https://zoom.us/j/1234567890?pwd=x1'],
    ['https://zoom.us/wc/1234567890/join', '1234567890', 'https://zoom.us/j/1234567890'],
    ['https://zoom.us/wc/1234567890/start', '1234567890', 'https://zoom.us/j/1234567890'],
    ['https://app.zoom.us/wc/1234567890/join?fromPWA=1&pwd=x1', '1234567890', 'https://zoom.us/j/1234567890?pwd=x1'],
    ['https://zoom.us/j/1234567890?pwd%3DaBc.1', '1234567890', 'https://zoom.us/j/1234567890?pwd=aBc.1'],
    ['https://zoom.us/j/1234567890?pwd%253DaBc.1', '1234567890', 'https://zoom.us/j/1234567890?pwd=aBc.1'],
    ['https://zoom.us/j/1234567890%3Fpwd%3DaBc.1', '1234567890', 'https://zoom.us/j/1234567890?pwd=aBc.1'],
    ['https://zoom.us/j/1234567890?pwd=aBc.1%3E', '1234567890', 'https://zoom.us/j/1234567890?pwd=aBc.1'],
    ['https://zoom.us/j/1234567890 (Passcode: 123456)', '1234567890', 'https://zoom.us/j/1234567890?pwd=123456'],
    ['https://zoom.us/j/1234567890(Passcode:123456)', '1234567890', 'https://zoom.us/j/1234567890?pwd=123456'],
    ['https://zoom.us/j/1234567890?pwd=a1 (Passcode: 123456).', '1234567890', 'https://zoom.us/j/1234567890?pwd=a1'],
    ['<https://zoom.us/j/1234567890?pwd=aBc.1>', '1234567890', 'https://zoom.us/j/1234567890?pwd=aBc.1'],
    [wrapped('https://zoom.us/j/1234567890?pwd=aBc.1'), '1234567890', 'https://zoom.us/j/1234567890?pwd=aBc.1'],
    ['http://zoom.us:80/j/1234567890/', '1234567890', 'https://zoom.us/j/1234567890'],
    ['ZOOM.US./j/1234567890', '1234567890', 'https://zoom.us/j/1234567890'],
    ['zoom.us:443/j/1234567890', '1234567890', 'https://zoom.us/j/1234567890'],
  ],
  google_meet: [
    ['https://meet.google.com/abc-defg-hij', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['meet.google.com/abc-defg-hij', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['http://meet.google.com/abc-defg-hij/', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['https://www.meet.google.com/abc-defg-hij', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['"https://meet.google.com/abc-defg-hij".', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['[meet.google.com/abc-defg-hij]', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['“https://meet.google.com/abc-defg-hij”,', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['\u200bhttps://meet.google.com/abc-defg-hij>\n', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['https://meet.google.com/abc-defg-hij?authuser=1&hs=122&pli=1', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['HTTPS://MEET.GOOGLE.COM/ABC-DEFG-HIJ', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['https://meet.google.com/Abc-defg-hij', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['https://meet.google.com/lookup/abcdefg', 'lookup/abcdefg', 'https://meet.google.com/lookup/abcdefg'],
    ['https://meet.google.com/Lookup/Team-2?authuser=0', 'lookup/team-2', 'https://meet.google.com/lookup/Team-2'],
    ['https://meet.google.com/Team-Standup2', 'team-standup2', 'https://meet.google.com/Team-Standup2'],
    [wrapped('https://meet.google.com/abc-defg-hij'), 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['https://www.google.com/url?q=https://meet.google.com/abc-defg-hij&sa=D', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    [
      'https://google.com/url?q=https%25253A%25252F%25252Fmeet.google.com%25252Fabc-defg-hij',
      'abcdefghij',
      'https://meet.google.com/abc-defg-hij',
    ],
    [safe(wrapped('https://meet.google.com/abc-defg-hij')), 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['https%3A%2F%2Fmeet.google.com%2Fabc-defg-hij', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
    ['https%25253A%25252F%25252Fmeet.google.com%25252Fabc-defg-hij', 'abcdefghij', 'https://meet.google.com/abc-defg-hij'],
  ],
  teams: [
    [LONG, THREAD, LONG],
    [`${TEAMS}/l/meetup-join/${THREAD}/0?context=${CONTEXT}`, THREAD, LONG],
    [encodeURI(LONG), THREAD, LONG],
    [encodeURIComponent(encodeURIComponent(LONG)), THREAD, LONG],
    [LONG.replace('/0?', '/1699999999999?'), THREAD, LONG.replace('/0?', '/1699999999999?')],
    [
      `${TEAMS}/l/meetup-join/${CHANNEL}/1700000000000?context=${CONTEXT}`,
      `${CHANNEL}/1700000000000`,
      LONG.replace(`${encodeURIComponent(THREAD)}/0`, `${encodeURIComponent(CHANNEL)}/1700000000000`),
    ],
    [`${TEAMS}/v2/?meetingjoin=true#/l/meetup-join/${THREAD}/0?context=${encodeURIComponent(CONTEXT)}&anon=true`, THREAD, LONG],
    [`${TEAMS}/v2/?meetingjoin=true#/meet/1234567890123?p=Secret&anon=true`, '1234567890123', `${TEAMS}/meet/1234567890123?p=Secret`],
    [
      `${TEAMS}/dl/launcher/launcher.html?url=/_#/l/meetup-join/${THREAD}/0?context=${CONTEXT}&anon=true&type=meetup-join&deeplinkId=1&directDl=true`,
      THREAD,
      LONG,
    ],
    [
      `${TEAMS}/dl/launcher/launcher.html?url=${encodeURIComponent(`/_#/l/meetup-join/${THREAD}/0?context=${encodeURIComponent(CONTEXT)}&anon=true`)}&type=meetup-join`,
      THREAD,
      LONG,
    ],
    [
      `${TEAMS}/dl/launcher/launcher.html?url=/_#/meet/1234567890123?p=Sec&anon=true&type=meet`,
      '1234567890123',
      `${TEAMS}/meet/1234567890123?p=Sec`,
    ],
    [`${TEAMS}/light-meetings/launch?agent=web&version=1&coords=${encodeURIComponent(COORDS)}&deeplinkId=1&correlationId=2`, THREAD, LONG],
    [`${TEAMS}/meet/1234567890?p=Sec`, '1234567890', `${TEAMS}/meet/1234567890?p=Sec`],
    [`${TEAMS}/meet/123456789012345`, '123456789012345', `${TEAMS}/meet/123456789012345`],
    ['https://teams.live.com/meet/9312345678901?p=AbC', '9312345678901', 'https://teams.live.com/meet/9312345678901?p=AbC'],
    ['https://teams.microsoft.us/meet/1234567890123?p=a', '1234567890123', 'https://teams.microsoft.us/meet/1234567890123?p=a'],
    ['https://dod.teams.microsoft.us/meet/1234567890123?p=a', '1234567890123', 'https://dod.teams.microsoft.us/meet/1234567890123?p=a'],
    ['https://teams.cloud.microsoft/meet/1234567890123?p=a', '1234567890123', 'https://teams.cloud.microsoft/meet/1234567890123?p=a'],
    [`${LONG})`, THREAD, LONG],
    [`<${LONG}>`, THREAD, LONG],
    [wrapped(LONG), THREAD, LONG],
    [safe(LONG), THREAD, LONG],
  ],
  whatsapp: [
    [`https://call.whatsapp.com/video/${TOKEN}`, TOKEN, `https://call.whatsapp.com/video/${TOKEN}`],
    [`https://call.whatsapp.com/voice/${TOKEN}?utm=x`, TOKEN, `https://call.whatsapp.com/voice/${TOKEN}`],
    [`call.whatsapp.com/voice/${TOKEN}`, TOKEN, `https://call.whatsapp.com/voice/${TOKEN}`],
    [`http://call.whatsapp.com/video/${TOKEN}`, TOKEN, `https://call.whatsapp.com/video/${TOKEN}`],
  ],
  room: [
    ['http://127.0.0.1:4000/room/stand-up_1', 'stand-up_1', 'http://127.0.0.1:4000/room/stand-up_1'],
    ['http://127.0.0.1:4000/room/A/?name=x', 'A', 'http://127.0.0.1:4000/room/A'],
    ['<http://127.0.0.1:4000/room/a>', 'a', 'http://127.0.0.1:4000/room/a'],
    [`http://127.0.0.1:4000/room/a?name=x&token=${ROOM_TOKEN}&join=1`, 'a', `http://127.0.0.1:4000/room/a?token=${ROOM_TOKEN}`],
    [`<http://127.0.0.1:4000/room/a?token=${ROOM_TOKEN}>.`, 'a', `http://127.0.0.1:4000/room/a?token=${ROOM_TOKEN}`],
    [`http://127.0.0.1:4000/room/a?token=${ROOM_TOKEN}.`, 'a', `http://127.0.0.1:4000/room/a?token=${ROOM_TOKEN}`],
    [wrapped(`http://127.0.0.1:4000/room/a?token=${ROOM_TOKEN}`), 'a', `http://127.0.0.1:4000/room/a?token=${ROOM_TOKEN}`],
    [`http://127.0.0.1:4000/room/a?token=${ROOM_TOKEN}x`, 'a', 'http://127.0.0.1:4000/room/a'],
    ['http://127.0.0.1:4000/room/a?token=<script>', 'a', 'http://127.0.0.1:4000/room/a'],
  ],
}

describe.each(Object.entries(LINKS))('%s', (platform, rows) => {
  test.each(rows)('parses %s as meeting %s', (text, meetingId, url) => {
    expect(read(text)).toMatchObject({ kind: 'link', platform, meetingId, url, joinable: true, reason: null })
  })

  test.each(rows)('parses the normal address of %s to the same meeting', (text) => {
    const link = read(text)
    expect(link.kind === 'link' && read(link.url)).toEqual(link)
  })
})

test.each([
  ['https://acme.zoom.us/my/Jane.Doe?pwd=a', 'acme.zoom.us/my/jane.doe', 'https://acme.zoom.us/my/Jane.Doe?pwd=a', 'personal'],
  ['https://events.zoom.us/ejl/AbC-1', 'events.zoom.us/ejl/AbC-1', 'https://events.zoom.us/ejl/AbC-1', 'event'],
  ['https://zoom.us/j/12345678', 'zoom.us/j/12345678', 'https://zoom.us/j/12345678', 'no /j/<meeting-id>'],
  ['https://zoom.us/j/jane', 'zoom.us/j/jane', 'https://zoom.us/j/jane', 'no /j/<meeting-id>'],
  ['https://zoom.us/constructor/x', 'zoom.us/constructor/x', 'https://zoom.us/constructor/x', 'no /j/<meeting-id>'],
])('accepts the Zoom link %s as not joinable yet', (text, meetingId, url, reason) => {
  expect(read(text)).toMatchObject({
    kind: 'link',
    platform: 'zoom',
    meetingId,
    url,
    joinable: false,
    reason: expect.stringContaining(reason),
  })
})

test('returns that a Zoom link is one to a webinar', () => {
  const webinar = { meetingId: '12345678901', registrantToken: 'reg.1', joinable: true, isWebinar: true }
  const url = 'https://acme.zoom.us/w/12345678901?pwd=a&tk=reg.1'
  expect(read('https://acme.zoom.us/w/12345678901?tk=reg.1&pwd=a')).toMatchObject({ ...webinar, url })
  expect(read('https://acme.zoom.us/j/12345678901')).toMatchObject({ isWebinar: false })
})

test('returns the fields that the driver needs', () => {
  expect(read('https://zoom.us/j/1234567890?pwd=a.1&tk=t')).toMatchObject({
    meetingNumber: '1234567890',
    passcode: 'a.1',
    registrantToken: 't',
  })
  expect(read('https://zoom.us/j/1234567890?pwd=a+b')).toMatchObject({ passcode: 'a+b', url: 'https://zoom.us/j/1234567890?pwd=a%2Bb' })
  expect(read('https://zoom.us/my/jane')).toMatchObject({ meetingNumber: null, passcode: null })
  expect(read(LONG)).toMatchObject({
    variant: 'work',
    passcode: null,
    thread: { threadId: THREAD, messageId: '0', tenantId: TENANT, organiserId: ORGANISER },
  })
  expect(read('https://teams.live.com/meet/9312345678901?p=AbC')).toMatchObject({ variant: 'personal', passcode: 'AbC', thread: null })
  expect(read(`https://call.whatsapp.com/voice/${TOKEN}`)).toMatchObject({ call: 'voice' })
})

test('accepts a room link only under roomBase', () => {
  const link = 'https://bots.example/emissary/room/a'
  expect(parseMeetingLink(link)).toMatchObject({ problem: 'unsupported_host' })
  expect(parseMeetingLink(link, { roomBase: 'https://bots.example' })).toMatchObject({ problem: 'not_a_meeting' })
  expect(parseMeetingLink(link, { roomBase: 'https://bots.example/emissary/' })).toMatchObject({ platform: 'room', url: link })
  expect(parseMeetingLink(link, { roomBase: 'not a base' })).toMatchObject({ problem: 'unsupported_host' })
})
