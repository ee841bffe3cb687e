// Every rejected row of the platforms' link tables, and the look-alikes.
import { describe, expect, test } from 'vitest'
import { parseMeetingLink } from '../meeting-link.ts'

const TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47'
const ORGANISER = '0d1c2b3a-1111-2222-3333-444455556666'
const THREAD = '19:meeting_NjQ1ZDQ3YzAtYzU1Yy00@thread.v2'
const CONTEXT = `{"Tid":"${TENANT}","Oid":"${ORGANISER}"}`
const TEAMS = 'https://teams.microsoft.com'
const TOKEN = 'AbCdEfGhIjKlMnOpQrStUv'

const read = (text: string) => parseMeetingLink(text, { roomBase: 'http://127.0.0.1:4000' })
const wrapped = (url: string) => `https://www.google.com/url?q=${encodeURIComponent(url)}&sa=D&source=calendar`
const safe = (url: string) => `https://nam12.safelinks.protection.outlook.com/?url=${encodeURIComponent(url)}&data=05%7C01&reserved=0`

/** Every message also has to name the field and end as a sentence. */
const PROBLEMS: Readonly<Record<string, readonly string[]>> = {
  bad_scheme: [
    ...[
      'ftp://zoom.us/j/1234567890',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'data:text/html,x',
      'tel:+15551234567',
      'tel:15551234567',
    ],
    ...[
      'zoommtg://zoom.us/join?confno=1234567890',
      'msteams:/l/meetup-join/x',
      'JAVASCRIPT://meet.google.com/abc-defg-hij',
      'javascript%3Aalert',
    ],
    'ws://127.0.0.1:4000/room/a',
  ],
  unsupported_host: [
    ...[
      'https://example.com/',
      'https://google.com/',
      'https://google.com/abc-defg-hij',
      'https://g.co/meet/team',
      'https://aka.ms/JoinTeamsMeeting',
    ],
    ...[
      'https://www.microsoft.com/microsoft-teams',
      'https://login.microsoftonline.com/common',
      'https://accounts.google.com/signin',
      'localhost',
    ],
    ...['https://.zoom.us/j/1234567890', 'https://a_b.zoom.us/j/1234567890'],
    ...['https://wa.me/15551234567', 'https://wa.me/call/15551234567', 'https://api.whatsapp.com/send?phone=1', 'https://web.whatsapp.com'],
    ...[`https://chat.whatsapp.com/${TOKEN}`, 'https://whatsapp.com/channel/x', 'https://www.whatsapp.com/call'],
    ...[`https://evil.example/call.whatsapp.com/video/${TOKEN}`, `https://call.whatsapp.com.evil.example/video/${TOKEN}`],
    ...['https://zoom.us.evil.example/j/1234567890', 'https://evilzoom.us/j/1234567890', 'https://zoom.us-evil.example/j/1234567890'],
    ...['https://meet.google.com.evil/abc-defg-hij', 'https://evil-meet.google.com/abc-defg-hij', 'https://xmeet.google.com/abc-defg-hij'],
    ...['https://teams.live.com.evil.example/meet/9312345678901', 'https://notteams.microsoft.com/meet/1234567890123'],
    ...['https://evil.teams.live.com/meet/9312345678901', 'https://evil.example#@meet.google.com/abc-defg-hij'],
    ...['https://evil.example\\@meet.google.com/abc-defg-hij', 'https://evil.example/?https%3A%2F%2Fmeet.google.com%2Fabc-defg-hij'],
    ...['https://zооm.us/j/1234567890', 'https://xn--zm-fmca.us/j/1234567890', 'https://mееt.google.com/abc-defg-hij'],
    ...['https://zoom.us:8443/j/1234567890', 'https://meet.google.com:80/abc-defg-hij', 'https://zoom.us..evil.example/j/1234567890'],
    ...[
      wrapped('https://evil.example/abc-defg-hij'),
      safe('https://evil.example/'),
      'https://www.google.com.evil.example/url?q=https://zoom.us/j/1',
    ],
    ...['http://127.0.0.1:4001/room/a', 'https://127.0.0.1:4000/room/a', 'http://localhost:4000/room/a', 'http://127.0.0.1/room/a'],
  ],
  not_a_meeting: [
    ...[
      'https://zoom.us',
      'https://zoom.us/',
      'https://acme.zoom.us/?x=1',
      'https://zoom.us/signin',
      'https://zoom.us/login',
      'https://zoom.us/download',
    ],
    ...[
      'https://zoom.us/pricing',
      'https://zoom.us/en/pricing',
      'https://zoom.us/pt-br/download',
      'https://zoom.us/rec/share/abc',
      'https://zoom.us/en',
    ],
    ...['https://zoom.us/meeting/register/tJabc', 'https://zoom.us/webinar/register/WN_abc', 'https://support.zoom.us/hc/en-us'],
    ...[
      'https://marketplace.zoom.us/apps/x',
      'https://zoom.us/j/',
      'https://zoom.us/my',
      'https://zoom.us/wc/join/',
      'https://zoom.us/join',
    ],
    ...['https://zoom.com/download.html', 'https://SUPPORT.zoom.com/hc'],
    ...['https://meet.google.com', 'https://meet.google.com/?q=abc', 'https://meet.google.com/landing', 'https://meet.google.com/new'],
    ...[
      'https://meet.google.com/lookup',
      'https://meet.google.com/lookup/a/b',
      'https://meet.google.com/_meet/abc-defg-hij',
      'https://meet.google.com/tel/abc-defg-hij',
    ],
    ...[`${TEAMS}/`, `${TEAMS}/_#/conversations/x`, `${TEAMS}/v2/`, `${TEAMS}/l/chat/0/0`, `${TEAMS}/l/channel/x`, `${TEAMS}/l/team/x`],
    ...[`${TEAMS}/l/entity/x`, `${TEAMS}/meetingOptions/?x=1`, 'https://dialin.teams.microsoft.com/x', 'https://teams.live.com/'],
    ...[`${TEAMS}/v2/#//evil.example/meet/1234567890123`, `${TEAMS}/dl/launcher/launcher.html?url=https%3A%2F%2Fevil.example`],
    ...['https://call.whatsapp.com/', `https://call.whatsapp.com/other/${TOKEN}`, `https://call.whatsapp.com/video/${TOKEN}/x`],
    ...['http://127.0.0.1:4000/', 'http://127.0.0.1:4000/room/', 'http://127.0.0.1:4000/room/a/b', 'http://127.0.0.1:4000/room/a.b'],
    ...[`http://127.0.0.1:4000/room/${'a'.repeat(65)}`, 'https://www.google.com/url?sa=D'],
  ],
  malformed: [
    ...['', '   ', '<>', 'https://', 'not a link', 'https://[::1', 'https://meet.google.com@evil.example/', '%', 'https://%zz/'],
    ...['https://user:pw@zoom.us/j/1234567890', 'https://meet.google.com%40evil.example/abc-defg-hij'],
    ...['https://meet.google.com/123-4567-890', 'https://meet.google.com/1234567890', 'https://meet.google.com/abcd-efgh-ijkl'],
    ...['https://meet.google.com/ABCD-EFGH-IJKL', 'https://meet.google.com/lookup/abc_defg', 'https://meet.google.com/abc_defg'],
    ...[
      'https://meet.google.com/abc-defg-hij https://meet.google.com/xyz-abcd-efg',
      'https://zoom.us/j/1234567890,https://zoom.us/j/1234567891',
    ],
    ...['https://zoom.us/j/1234567890https://zoom.us/j/1234567891', 'https://zoom.us/j/1234567890?pwd=ahttps://zoom.us/j/1234567891'],
    ...['Join: https://zoom.us/j/1234567890', 'https://zoom.us/j/1234567890 at noon'],
    ...[
      `${TEAMS}/l/meetup-join/${THREAD}/0`,
      `${TEAMS}/l/meetup-join/${THREAD}/0?context={"Tid":"${TENANT}"}`,
      `${TEAMS}/l/meetup-join/x/0?context=${CONTEXT}`,
    ],
    ...[
      `${TEAMS}/light-meetings/launch?coords=%%%`,
      `${TEAMS}/light-meetings/launch`,
      `${TEAMS}/meet/123456789`,
      `${TEAMS}/meet/1234567890123456`,
    ],
    ...[`${TEAMS}/meet/abc`, 'https://call.whatsapp.com/video/', 'https://call.whatsapp.com/video/short'],
    ...[wrapped(wrapped(wrapped(wrapped('https://zoom.us/j/1234567890')))), `https://zoom.us/j/1234567890?x=${'a'.repeat(4096)}`],
  ],
}

describe.each(Object.entries(PROBLEMS))('a link with the problem %s', (problem, texts) => {
  test.each(texts.map((text) => [text]))('rejects %s', (text) => {
    expect(read(text)).toMatchObject({ kind: 'problem', problem, message: expect.stringMatching(/^meeting_link .*\.$/) })
  })
})

test('names the field and the problem in the message', () => {
  const messageOf = (text: string) => Object(read(text)).message
  expect(messageOf('ftp://zoom.us')).toBe('meeting_link must use http or https.')
  expect(messageOf('https://example.com/x')).toBe('meeting_link host example.com is not a supported meeting platform.')
  expect(messageOf('https://zoom.us/signin')).toBe('meeting_link is a sign-in page, not a meeting.')
  expect(messageOf('https://meet.google.com/')).toBe('meeting_link is the front page of Google Meet, not a meeting.')
  expect(messageOf('https://stream.meet.google.com/stream/0f6e1c1e-8f5b-4f39-9c60-0a4c1ad0a5b2')).toBe(
    'meeting_link is a live stream of Google Meet, which can be watched but not joined.',
  )
})
