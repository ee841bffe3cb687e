// Messages of Teams to its own page, as the field notes describe them, and what the driver reads from them.
import { deflateSync } from 'node:zlib'
import type { ClientMessage } from '../../../src/bot/drivers/browser-meeting/messages.ts'
import { readReport } from '../../../src/bot/drivers/browser-meeting/read-report.ts'
import { createReaders } from '../../../src/bot/drivers/teams/protocol.ts'

export const CALL = 'call-1'
export const BOT = '8:teamsvisitor:b0'
export const ANN = '8:orgid:a1'

type Stream = { readonly type: string; readonly sourceId: number; readonly direction: string }
export const entry = (id: string, displayName: string, mediaStreams: readonly Stream[] = [], more: object = {}) => ({
  details: { id, displayName },
  state: 'active',
  meetingRole: 'attendee',
  endpoints: { e1: { call: { mediaStreams } } },
  ...more,
})
export const audio = (sourceId: number): Stream => ({ type: 'audio', sourceId, direction: 'sendrecv' })
export const packed = (content: unknown) => deflateSync(JSON.stringify(content)).toString('base64')
const channel = (content: unknown) => Buffer.concat([Buffer.from([0, 1, 0x80, 2]), Buffer.from(JSON.stringify(content))]).toString('base64')
export const SDP = [
  'm=audio 9 X',
  'a=x-source-streamid:201',
  'a=msid:mainAudio-1 t',
  'm=video 9 X',
  'a=x-source-streamid:203',
  'a=ssrc:77 msid:mainVideo-8 t8',
  '',
].join('\r\n')

/** A client right after admission. */
export function client(globals: object | null = { ownId: BOT, callId: CALL, muted: [] }) {
  const readers = createReaders({ name: 'Notes' })
  const read = (report: object) => readReport(report, readers)
  const frame = (path: string, body: unknown, callId = CALL) => {
    const headers = { 'X-Microsoft-Skype-Chain-ID': callId }
    return read({ kind: 'trouter', text: `3:::${JSON.stringify({ id: 1, url: `/v4/f/s/callAgent/x/${path}`, headers, body })}` })
  }
  const it = {
    read,
    frame,
    look: (found: object | null = globals) => read({ kind: 'globals', text: JSON.stringify(found) }),
    roster: (participants: object, callId = CALL) => frame('conversation/rosterUpdate/', packed({ participants }), callId),
    end: (body: unknown, callId = CALL) => frame('conversation/conversationEnd/', body, callId),
    caption: (content: unknown) => read({ kind: 'main-channel', data: channel(content) }),
    asks: (sourceId: number, streamMsid: number) =>
      read({ kind: 'requests', data: channel([{ type: 'sr', controlVideoStreaming: { controlInfo: { sourceId, streamMsid } } }]) }),
  }
  return it
}

export const usersIn = (messages: readonly ClientMessage[]) =>
  messages.flatMap((it) => ('users' in it && it.kind !== 'speaking' ? it.users : []))
export const streamsIn = (messages: readonly ClientMessage[]) => messages.flatMap((it) => ('streams' in it ? (it.streams ?? []) : []))
export const namesIn = (messages: readonly ClientMessage[]) =>
  usersIn(messages).map(({ name, presence, isSelf }) => [name, presence, isSelf])
