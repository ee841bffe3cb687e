// Hostile links: parsing ends quickly, never throws, and yields only addresses on the platforms' own hosts.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseMeetingLink } from '../meeting-link.ts'

const TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47'
const ORGANISER = '0d1c2b3a-1111-2222-3333-444455556666'
const THREAD = '19:meeting_NjQ1ZDQ3YzAtYzU1Yy00@thread.v2'
const CONTEXT = `{"Tid":"${TENANT}","Oid":"${ORGANISER}"}`
const TEAMS = 'https://teams.microsoft.com'

const read = (text: string) => parseMeetingLink(text, { roomBase: 'http://127.0.0.1:4000' })

const SAFE_ORIGIN =
  /^(?:https:\/\/(?:(?:[^/:@]+\.)?zoom\.us|meet\.google\.com|teams\.live\.com|teams\.cloud\.microsoft|(?:[^/:@]+\.)?teams\.microsoft\.(?:com|us)|call\.whatsapp\.com)|http:\/\/127\.0\.0\.1:4000)\//

/** Expects a link or a problem, and only addresses on the platforms' own hosts. */
function expectSound(text: string): void {
  const answer = read(text)
  if (answer.kind === 'problem') {
    expect(answer.message).toMatch(/^meeting_link .*\.$/s)
    return
  }
  expect(answer.url).toMatch(SAFE_ORIGIN)
  expect(answer.meetingId).not.toBe('')
  expect(read(answer.url)).toMatchObject({ kind: 'link', platform: answer.platform, meetingId: answer.meetingId })
}

const KNOWN = [
  'https://us02web.zoom.us/j/12345678901?pwd=aBc123.1&tk=t',
  'https://zoom.us/j/1234567890 (Passcode: 123456)',
  'https://app.zoom.us/wc/1234567890/join?fromPWA=1&pwd=x1',
  'https://zoom.us/my/jane.doe',
  'https://meet.google.com/abc-defg-hij?authuser=1',
  'https%3A%2F%2Fmeet.google.com%2Fabc-defg-hij',
  `https://www.google.com/url?q=${encodeURIComponent('https://meet.google.com/abc-defg-hij')}&sa=D`,
  `${TEAMS}/l/meetup-join/${THREAD}/0?context=${CONTEXT}`,
  `${TEAMS}/v2/?meetingjoin=true#/l/meetup-join/${THREAD}/0?context=${encodeURIComponent(CONTEXT)}&anon=true`,
  `${TEAMS}/dl/launcher/launcher.html?url=${encodeURIComponent('/_#/meet/1234567890123?p=a')}&type=meet`,
  `${TEAMS}/light-meetings/launch?coords=${btoa(JSON.stringify({ conversationId: THREAD, tenantId: TENANT, organizerId: ORGANISER }))}`,
  'https://teams.live.com/meet/9312345678901?p=AbC',
  'https://call.whatsapp.com/voice/AbCdEfGhIjKlMnOpQrStUv?utm=x',
  'http://127.0.0.1:4000/room/stand-up_1',
]

test('parses arbitrary text without throwing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl({ withFragments: true, withQueryParameters: true })), expectSound),
    { numRuns: 2000 },
  )
})

test('parses random combinations of link parts without throwing', () => {
  const piece = fc.constantFrom(
    ...[
      'https://',
      'http:',
      '//',
      '@',
      '/',
      '\\',
      '?',
      '#',
      '%',
      '%2F',
      '%25',
      '(',
      ')',
      '<',
      ' ',
      ':',
      '443',
      '..',
      '\u0000',
      '\ud800',
      '{"Tid":1}',
    ],
    ...[
      'zoom.us',
      'meet.google.com',
      'teams.microsoft.com',
      'call.whatsapp.com',
      'google.com/url?q=',
      'evil.example',
      'j/1234567890',
      'my/x',
    ],
    ...[
      'l/meetup-join/',
      THREAD,
      'context=',
      'abc-defg-hij',
      'meet/1234567890123',
      'pwd=',
      'light-meetings/launch?coords=',
      'room/a',
      'signin',
    ],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => expectSound(pieces.join(''))),
    { numRuns: 5000 },
  )
})

test('parses valid links with injected garbage without throwing', () => {
  const splinter = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom('@evil.example', '%00', '\\', '.evil.example', '//', '%', '#', '\n'),
  )
  const mutated = fc.tuple(fc.constantFrom(...KNOWN), fc.nat(), fc.nat(3), splinter).map(([link, place, cut, text]) => {
    const at = place % (link.length + 1)
    return link.slice(0, at) + text + link.slice(at + cut)
  })
  fc.assert(fc.property(mutated, expectSound), { numRuns: 5000 })
})

test.each(['%25', '(', ' ', '/', '>', '((Passcode:', 'https://', '%', 'a.', '\u200b', '[', '{"a":', 'ü', '?a=%', 'xn--'])(
  'parses a long text of repeated %j within a second of CPU time',
  (unit) => {
    for (const start of [
      '',
      'https://zoom.us/',
      `${TEAMS}/l/meetup-join/`,
      `${TEAMS}/v2/#`,
      'https://zoom.us/j/1234567890?pwd=',
      'https://',
    ]) {
      for (const length of [4096, 100_000]) {
        const text = (start + unit.repeat(length)).slice(0, length)
        const before = process.cpuUsage()
        expectSound(text)
        const { user, system } = process.cpuUsage(before)
        // CPU time, because other processes share the machine. A backtracking pattern needs minutes.
        expect((user + system) / 1000).toBeLessThan(1_000)
      }
    }
  },
)
