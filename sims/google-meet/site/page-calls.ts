// The requests of the meeting's page to its server: one row per path.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { deviceReply } from '../sfu/messages.ts'
import type { MeetingServer } from './meeting.ts'
import type { Asked } from './meeting-types.ts'
import { DEVICE_HEADER, type DeviceState, PATHS, type Press } from './wire.ts'

type Call = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly asked: Asked }
type Answer = (meeting: MeetingServer, call: Call & { readonly deviceId: string }) => void | Promise<void>

const ANSWERS: Readonly<Record<string, Answer>> = {
  [PATHS.knock]: (meeting, { response, asked }) => {
    if (meeting.isRateLimited()) return void response.writeHead(429).end()
    const { name } = JSON.parse(asked.body) as { readonly name: string }
    response.writeHead(200, { 'content-type': 'application/x-protobuf', 'content-transfer-encoding': 'base64' })
    response.end(deviceReply(meeting.knock(name), meeting.scenario.suspected))
  },
  [PATHS.events]: (meeting, { request, response, deviceId }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write('retry: 300\n\n')
    const stream = {
      send: (message: unknown) => void response.write(`data: ${JSON.stringify(message)}\n\n`),
      cut: () => void request.socket.destroy(),
    }
    response.once('close', () => meeting.hangUp(deviceId, stream))
    meeting.listen(deviceId, stream)
  },
  [PATHS.offer]: async (meeting, { response, asked, deviceId }) => {
    const name = meeting.nameOf(deviceId)
    if (name === null) return void response.writeHead(404).end()
    const { sdp } = JSON.parse(asked.body) as { readonly sdp: string }
    const place = meeting.placeOf(deviceId)
    json(response, { sdp: await place.space.offer(sdp, { name, deviceId: place.deviceId }) })
  },
  [PATHS.state]: (meeting, { response, asked, deviceId }) => {
    meeting.setState(deviceId, JSON.parse(asked.body) as DeviceState)
    json(response, {})
  },
  [PATHS.chat]: (meeting, { response, asked, deviceId }) => {
    const place = meeting.placeOf(deviceId)
    place.space.chatFromBot((JSON.parse(asked.body) as { readonly text: string }).text, place.deviceId)
    json(response, {})
  },
  [PATHS.room]: (meeting, { response, asked, deviceId }) => {
    const { room } = JSON.parse(asked.body) as { readonly room: string }
    json(response, { deviceId: meeting.enterRoom(deviceId, room) })
  },
  [PATHS.leave]: (meeting, { response, deviceId }) => {
    meeting.leave(deviceId)
    json(response, {})
  },
  [PATHS.sync]: (meeting, { response, deviceId }) => {
    if (meeting.isSyncLimited(deviceId)) return void response.writeHead(429).end()
    response.writeHead(200, { 'content-type': 'application/x-protobuf', 'content-transfer-encoding': 'base64' })
    const place = meeting.placeOf(deviceId)
    response.end(meeting.isInside(deviceId) ? place.space.syncReply(place.deviceId) : '')
  },
  [PATHS.press]: (meeting, { response, asked }) => {
    meeting.pressed.push(JSON.parse(asked.body) as Press)
    response.writeHead(204).end()
  },
}

export async function answerPage(meeting: MeetingServer | null, call: Call): Promise<void> {
  const answer = ANSWERS[call.asked.path]
  if (!answer || !meeting) return void call.response.writeHead(404).end()
  // An event stream cannot have headers, and the Sync call must have Meet's exact address.
  const device = call.request.headers[DEVICE_HEADER] ?? call.asked.query.get('device')
  await answer(meeting, { ...call, deviceId: typeof device === 'string' ? device : '' })
}

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
