// Redaction of a recorded join: what may never be found in a field kit, and what must read the same.
import { deflateSync, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bytesField, Message, numberField, textField } from '../../kit/protobuf.ts'
import type { TreeElement } from '../drivers/browser-meeting/page/snapshot.ts'
import type { RawStep } from '../drivers/browser-meeting/witness.ts'
import { knownWords } from './known-words.ts'
import { redactJoin } from './redact.ts'

const MEETING = { platform: 'google_meet', url: 'https://meet.google.com/qzx-vwyk-jpq', code: 'qzx-vwyk-jpq' }
const SPEC = { name: 'Emissary', meeting: MEETING as never }

// biome-ignore lint/suspicious/noExplicitAny: fields are checked one by one.
const redacted = (...steps: readonly object[]): readonly any[] =>
  redactJoin(
    steps.map((step, at) => ({ at, ...step }) as RawStep),
    SPEC,
    knownWords('google-meet'),
  )

const element = (tag: string, children: readonly (string | TreeElement)[], more: Partial<TreeElement> = {}): TreeElement => ({
  tag,
  attributes: {},
  style: 'display:block',
  mark: null,
  shadow: null,
  children,
  ...more,
})

function screen(children: readonly (string | TreeElement)[], more: object = {}): object {
  const tree = element('html', [element('body', children)])
  const documents = [{ key: '0', url: MEETING.url, tree }]
  return { kind: 'screen', stage: 'door', screen: 'prejoin', people: [], documents, isInside: false, picture: null, ...more }
}

const named = (name: string) => ({ kind: 'event', event: { kind: 'people', others: [{ id: 'u1', name }] } })

test('gives a person the same placeholder in messages and in the page, also before the name is known', () => {
  const [lobby, message, event] = redacted(
    screen([element('button', ['Mute Zofia Quist'])]),
    { kind: 'report', report: { kind: 'roster', text: JSON.stringify({ displayName: 'Zofia Quist' }) } },
    named('Zofia Quist'),
  )
  expect(lobby.documents[0].html).toContain('>Mute Person 1<')
  expect(JSON.parse(message.report.text)).toEqual({ displayName: 'Person 1' })
  expect(event.event.others[0].name).toBe('Person 1')
})

test('keeps the form of packed protobuf, its numbers and its ids in relation', () => {
  const user = Buffer.concat([textField(1, 'spaces/QxQ/devices/17'), textField(2, 'Zofia Quist'), numberField(4, 1)])
  const output = Buffer.concat([
    numberField(2, 1),
    textField(4, '3735928559'),
    textField(6, 'spaces/QxQ/devices/17'),
    numberField(8, 3_735_928_559),
  ])
  const packed = deflateSync(Buffer.concat([bytesField(1, user), bytesField(2, output)]))
  const [report] = redacted({ kind: 'report', report: { kind: 'collections', data: packed.toString('base64') } })
  const whole = new Message(inflateSync(Buffer.from(report.report.data, 'base64')))
  expect(whole.message(1)?.text(2)).toMatch(/^Text \d+$/)
  expect(whole.message(1)?.text(1)).toMatch(/^spaces\/x\d+\/devices\/17$/)
  expect(whole.message(2)?.text(6)).toBe(whole.message(1)?.text(1))
  expect([whole.message(2)?.text(4), whole.message(2)?.number(8)]).toEqual(['3735928559', 3_735_928_559])
})

test.each([
  ['a name of two letters that parses as protobuf', bytesField(2, Buffer.from('Xi')), 'Xi'],
  ['a text in a nested message', bytesField(3, bytesField(4, textField(5, 'salaries will be cut'))), 'salaries'],
])('hides %s', (_what, bytes, secret) => {
  const data = Buffer.concat([numberField(1, 7), bytes]).toString('base64')
  const [report] = redacted({ kind: 'report', report: { kind: 'x', data } })
  expect(Buffer.from(report.report.data, 'base64').toString()).not.toContain(secret)
})

test('hides addresses, keys and names of a session description, and keeps its media', () => {
  const sdp = [
    'v=0',
    'o=zofia 4611 2 IN IP4 198.51.100.7',
    's=Quarterly',
    'c=IN IP4 198.51.100.7',
    'm=audio 50321 UDP/TLS/RTP/SAVPF 111',
    'a=candidate:1 1 udp 2113937151 198.51.100.7 50321 typ host ufrag Kd8x',
    'a=ice-ufrag:Kd8x',
    'a=ice-pwd:pY2sUperSecretPasswd0',
    'a=fingerprint:sha-256 AB:CD:EF',
    'a=rtpmap:111 opus/48000/2',
    'a=ssrc:3735928559 cname:zofia@laptop',
    'a=x-source-streamid:17',
    '',
  ].join('\r\n')
  const [step] = redacted({ kind: 'description', side: 'remote', type: 'answer', sdp })
  for (const secret of ['zofia', 'Quarterly', '198.51.100.7', '50321', 'Kd8x', 'pY2s', 'AB:CD'])
    expect(step.sdp, secret).not.toContain(secret)
  for (const kept of ['a=rtpmap:111 opus/48000/2', 'a=ssrc:3735928559 cname:', 'a=x-source-streamid:17', 'm=audio 9 '])
    expect(step.sdp, kept).toContain(kept)
})

test('keeps a sentence of the platform and hides what the driver does not know', () => {
  const [step] = redacted(
    screen([element('h1', ["You can't join this video call"]), element('p', ['Hosted by Brzezinska, 030 1234567, q@x.test'])]),
  )
  const { html } = step.documents[0]
  expect(html).toContain("You can't join this video call")
  for (const secret of ['Brzezinska', '1234567', 'q@x']) expect(html, secret).not.toContain(secret)
})

test('hides a name that is a common word within a sentence', () => {
  const [step] = redacted(screen([element('p', ['Hosted by Grace Hope. Please wait'])]))
  expect(step.documents[0].html).not.toMatch(/Grace|Hope/)
  expect(step.documents[0].html).toContain('Please wait')
})

test('gives the bot its usual name, also in base64', () => {
  const report = { kind: 'x', text: JSON.stringify({ name: 'Notes by Zofia', dn2: Buffer.from('Notes by Zofia').toString('base64') }) }
  const spec = { ...SPEC, name: 'Notes by Zofia' }
  const [step] = redactJoin([{ kind: 'report', at: 0, report }], spec, knownWords('zoom-web'))
  const text = step?.kind === 'report' ? String(step.report.text) : ''
  expect(JSON.parse(text)).toEqual({ name: 'Emissary', dn2: Buffer.from('Emissary').toString('base64') })
})

test('hides ids of participants that are made of their names, and keeps states and names of the code', () => {
  const tile = element('div', [], {
    mark: 'tile',
    attributes: { 'data-tid': 'Zofia', id: 'tile-Quist', class: 'VfPpkd-Bz112c', 'aria-checked': 'false' },
  })
  const [step] = redacted(screen([tile], { stage: 'call', screen: 'inside', isInside: true }))
  expect(step.documents[0].html).not.toMatch(/Zofia|Quist/)
  expect(step.documents[0].html).toContain('class="VfPpkd-Bz112c" aria-checked="false"')
})

test('hides chat, captions and tiles of a call, even where they consist of common words', () => {
  const inside = { stage: 'call', screen: 'inside', isInside: true }
  const [step] = redacted(
    screen(
      [
        element('div', ['we should close the office'], { mark: 'talk' }),
        element('li', ['please fire him tomorrow']),
        element('div', ['salary list']),
        element('button', ['Leave call'], { attributes: { 'aria-label': 'Leave call' } }),
      ],
      inside,
    ),
  )
  const { html } = step.documents[0]
  for (const secret of ['office', 'fire', 'tomorrow', 'salary']) expect(html, secret).not.toContain(secret)
  expect(html).toContain('aria-label="Leave call"')
})

test('hides the meeting of the link in addresses, messages and pages', () => {
  const steps = redacted(
    { kind: 'response', url: `${MEETING.url}?authuser=zofia@x.test`, status: 200 },
    { kind: 'report', report: { kind: 'x', text: `{"link":"${MEETING.url}"}` } },
    screen([element('h1', ['Joining qzx-vwyk-jpq'])]),
    { kind: 'console', text: `error: cannot load ${MEETING.url}` },
  )
  expect(JSON.stringify(steps)).not.toMatch(/qzx|vwyk|zofia/)
  expect(steps[0].url).toMatch(/^https:\/\/meet\.google\.com\//)
})

test('leaves out a step in which a secret is still found in another encoding', () => {
  const hidden = Buffer.from('xx Zofia Quist', 'utf16le').toString('base64')
  const steps = redacted(named('Zofia Quist'), screen([], { screen: hidden }))
  expect(steps[1]).toEqual({ kind: 'withheld', of: 'screen', at: 1 })
})

test('does not hide a word of the platform when a person is called so', () => {
  const steps = redacted(named('Will'), screen([element('p', ['You can join when someone lets you in']), element('button', ['Mute Will'])]))
  expect(steps[1].documents[0].html).toContain('Mute Person 1')
})
