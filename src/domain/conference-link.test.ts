import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findConference, type LinkPlaces } from './conference-link.ts'

const NOWHERE: LinkPlaces = { video: null, entryPoints: [], location: null, description: null }
const MEET = 'https://meet.google.com/abc-defg-hij'
const ZOOM = 'https://zoom.us/j/1234567890?pwd=abc'
const TEAMS = 'https://teams.microsoft.com/meet/2345678901234?p=Secret'
const ROOMS = 'https://bots.example.com'

const find = (places: Partial<LinkPlaces>) => findConference({ ...NOWHERE, ...places }, ROOMS)
const inText = (description: string) => find({ description })?.url ?? null

test('takes the first place with a link: video field, entry points, location, description', () => {
  const all = { video: MEET, entryPoints: [ZOOM], location: TEAMS, description: 'https://acme.webex.com/meet/ann' }
  expect(find(all)).toEqual({ platform: 'GMeet', url: MEET, key: 'google_meet:abcdefghij', reason: null })
  expect(find({ ...all, video: null })?.platform).toBe('Zoom')
  expect(find({ ...all, video: null, entryPoints: [] })?.platform).toBe('Teams')
  expect(find({ description: all.description })?.platform).toBe('Webex')
  expect(find({})).toBeNull()
})

test('finds a link to a room of this service', () => {
  expect(find({ location: `${ROOMS}/room/daily` })).toMatchObject({ platform: 'Room', key: 'room:daily' })
  expect(find({ location: 'https://elsewhere.example.com/room/daily' })).toBeNull()
})

describe('the link in a text', () => {
  test.each([
    [`Join here: ${MEET}.`, MEET],
    [`(${MEET})`, MEET],
    [`<a href="${ZOOM}">Join</a>`, ZOOM],
    ['<p>Zoom&nbsp;<a href="https://zoom.us/j/1234567890?pwd=abc&amp;uname=x">link</a></p>', ZOOM],
    ['&lt;a href=&quot;https://meet.google.com/abc-defg-hij&quot;&gt;Join&lt;/a&gt;', MEET],
    ['https:&#x2F;&#47;meet.google.com/abc-defg-hij', MEET],
    [`See https://support.zoom.us/hc/en-us and then ${ZOOM}`, ZOOM],
    [`Notes: https://docs.google.com/document/d/1 Meeting: ${TEAMS}`, TEAMS],
    ['meet.google.com/abc-defg-hij', MEET],
    ['Room 4.12, second floor', null],
    ['https://docs.google.com/document/d/1', null],
    ['mailto:ann@example.com', null],
    ['https://meet.google.com/', null],
    ['https://meet.google.com.evil.example/abc-defg-hij', null],
  ])('is found only if it leads to a meeting: %s', (text, url) => {
    expect(inText(text)).toBe(url)
  })

  test.each([
    `https://www.google.com/url?q=${encodeURIComponent(MEET)}&sa=D`,
    `https://nam12.safelinks.protection.outlook.com/?url=${encodeURIComponent(MEET)}&data=05`,
    `https://urldefense.com/v3/__${MEET}__;!!abc!def$`,
    'https://urldefense.proofpoint.com/v2/url?u=https-3A__meet.google.com_abc-2Ddefg-2Dhij&d=Dw',
    `https://linkprotect.cudasvc.com/url?a=${encodeURIComponent(MEET)}&c=E`,
    `https://nam12.safelinks.protection.outlook.com/?url=${encodeURIComponent(`https://www.google.com/url?q=${encodeURIComponent(MEET)}`)}`,
  ])('is found behind the redirect %s', (wrapped) => {
    expect(inText(`<a href="${wrapped.replaceAll('&', '&amp;')}">Join</a>`)).toBe(MEET)
  })
})

test.each([
  ['Webex', 'https://acme.webex.com/meet/ann'],
  ['Webex', 'https://acme.webex.com/acme/j.php?MTID=m1234'],
  ['GoToMeeting', 'https://global.gotomeeting.com/join/123456789'],
  ['GoToMeeting', 'https://meet.goto.com/123456789'],
  ['Whereby', 'https://whereby.com/team-room'],
  ['BlueJeans', 'https://bluejeans.com/123456789/1234'],
  ['Jitsi', 'https://meet.jit.si/OurRoom'],
  ['Chime', 'https://chime.aws/1234567890'],
  ['RingCentral', 'https://v.ringcentral.com/join/123456789'],
  ['Skype', 'https://join.skype.com/abcDEF123'],
])('recognises %s by %s as not joinable', (platform, link) => {
  expect(find({ location: link })).toEqual({ platform, url: link, key: null, reason: expect.stringContaining(platform) })
})

test.each(['https://www.webex.com/pricing', 'https://whereby.com/', 'https://bluejeans.com/about', 'https://evilwebex.com/meet/ann'])(
  'does not recognise %s as a meeting',
  (link) => {
    expect(find({ location: link })).toBeNull()
  },
)

test('reports a Zoom link that no bot can join, but prefers one that a bot can', () => {
  const personal = 'https://zoom.us/my/ann'
  expect(find({ description: personal })).toMatchObject({
    platform: 'Zoom',
    key: null,
    reason: expect.stringContaining('cannot be joined'),
  })
  expect(inText(`${personal} or ${ZOOM}`)).toBe(ZOOM)
})

test('finds a web address or null in any event, without throwing', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.constantFrom(MEET, ZOOM, '<a href="', '&amp;', '&#x110000;', 'https://', 'http://[', '%E0%A4%A'),
  )
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 8 }), (parts) => {
      const found = find({ location: parts.join(''), description: parts.join(' ') })
      expect(found === null || /^https?:\/\//.test(found.url)).toBe(true)
    }),
    { seed: 11, numRuns: 2_000 },
  )
  const began = performance.now()
  inText('https://'.repeat(20_000))
  inText('&amp;'.repeat(50_000))
  inText(`https://x.example/${')'.repeat(90_000)}`)
  expect(performance.now() - began).toBeLessThan(2_000)
})
