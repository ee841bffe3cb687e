// Routes HTTPS requests and sockets of Zoom's hosts.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { urlOf } from '../../site/serve.ts'
import type { Attendee } from './attendee.ts'
import type { Asked } from './control.ts'
import { type Door, type Fields, infoFault } from './entry.ts'
import { rawFault } from './info-replies.ts'
import type { MeetingServer } from './meeting.ts'
import { handleCommand } from './page-commands.ts'
import { answerWeb } from './web-pages.ts'
import { type FromPage, INFO_PATH, type InfoReply, SOCKET_PATH } from './wire.ts'

export type SiteOptions = {
  /** By number. */
  readonly meetings: ReadonlyMap<string, MeetingServer>
  readonly asked: Asked[]
  readonly door: Door
}

const SVC_URL = 'wss://rwg.zoom.us'

export class Site {
  readonly #options: SiteOptions
  readonly #sockets = new WebSocketServer({ noServer: true })

  constructor(options: SiteOptions) {
    this.#options = options
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(request)
    const body = await text(request)
    const fields = Object.fromEntries(new URLSearchParams(body))
    const meeting = this.#options.meetings.get(numberIn(url) ?? fields.meetingNumber ?? '')
    if (meeting?.isNetworkDown) return void request.socket.destroy()
    const asked = { method: request.method ?? '', host: url.hostname, path: url.pathname, query: url.search, body, atMs: Date.now() }
    this.#options.asked.push(asked)
    meeting?.asked.push(asked)
    if (request.method === 'OPTIONS') return void response.writeHead(204, cors(request)).end()
    if (url.pathname !== INFO_PATH) return answerWeb({ request, response, url, meeting })
    const reply = this.#info(meeting, fields)
    response.writeHead(200, { ...cors(request), 'content-type': 'application/json' }).end(JSON.stringify(reply))
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = urlOf(request)
    const meeting = this.#options.meetings.get(numberIn(url) ?? '')
    const cid = url.searchParams.get('cid') ?? ''
    if (!url.pathname.startsWith(SOCKET_PATH) || !meeting || meeting.isNetworkDown) return void socket.destroy()
    this.#sockets.handleUpgrade(request, socket, head, (opened) => {
      const attendee = meeting.attendee(cid)
      if (!attendee) opened.close()
      else if (url.searchParams.get('type') === 'c') openCommands(meeting, attendee, opened)
      else openMedia(attendee, opened)
    })
  }

  #info(meeting: MeetingServer | undefined, fields: Fields): InfoReply {
    meeting?.infos.push(fields)
    const errorCode = infoFault(meeting, fields, this.#options.door)
    const joinErrors = meeting?.scenario.joinErrors ?? 'callback'
    if (errorCode !== 0 || !meeting) return { status: false, ...rawFault(errorCode), result: null, joinErrors }
    const { number: meetingNumber, scenario } = meeting
    const { topic, lobby, joinAudio, recording, requests, savesCaptions, captionDialogs, signalling, web } = scenario
    const { wall, disclaimer, recordingConsent } = web
    // Each `wc/info` counts as a page load of the SDK.
    const stall = meeting.infos.length <= web.stalls ? web.stall : 'none'
    const { cid, media } = meeting.expect(fields)
    const common = {
      isAttendee: scenario.kind === 'webinar',
      lobby,
      media,
      joinAudio,
      recording,
      requests,
      savesCaptions,
      captionDialogs,
      signalling,
    }
    const options = { ...common, wall, stall, disclaimer, recordingConsent }
    return { status: true, errorCode: 0, errorMessage: '', joinErrors, result: { meetingNumber, topic, cid, svcUrl: SVC_URL, options } }
  }
}

function openCommands(meeting: MeetingServer, attendee: Attendee, socket: WebSocket): void {
  socket.on('message', (data: RawData) => handleCommand(meeting, attendee, JSON.parse(data.toString()) as FromPage))
  meeting.connect(attendee, socket)
}

/** The socket of a page without WebRTC. */
function openMedia({ userId, standing, room: { call } }: Attendee, socket: WebSocket): void {
  if (standing !== 'inside') return void socket.close()
  const visitor = call.visitor(userId)
  socket.on('message', (data: RawData) => visitor.receivePacket(data as Buffer))
  socket.once('close', () => visitor.closeSocket(socket))
  visitor.openSocket(socket)
}

function numberIn(url: URL): string | undefined {
  return /\/(?:j|s|w|wc\/join|wc\/media|wc\/_\/[a-z]+|wc)\/(\d{9,11})/.exec(url.pathname)?.[1]
}

/** The page of an SDK app has another origin, which may be isolated. */
function cors({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return {
    'access-control-allow-origin': headers.origin ?? '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    'access-control-allow-private-network': 'true',
    'cross-origin-resource-policy': 'cross-origin',
  }
}
