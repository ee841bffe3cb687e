import { expect, test } from 'vitest'
import { requestAudio } from '../../src/room/page/reception.ts'

const SESSION = 'v=0\r\ns=-\r\n'
const BANDWIDTH = [
  'a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time\r\n',
  'a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01\r\n',
  'a=rtcp-fb:111 transport-cc\r\n',
].join('')
const AUDIO = 'm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\n'
const VIDEO = `m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\n${BANDWIDTH}`
const OFFER = SESSION + AUDIO + BANDWIDTH + VIDEO

test.each([
  ['nothing', { receivesVideo: true, packetMs: null }, OFFER],
  ['long packets', { receivesVideo: true, packetMs: 60 }, `${SESSION}${AUDIO}${BANDWIDTH}a=ptime:60\r\n${VIDEO}`],
  ['no bandwidth estimate where no video is received', { receivesVideo: false, packetMs: null }, SESSION + AUDIO + VIDEO],
  ['both', { receivesVideo: false, packetMs: 60 }, `${SESSION}${AUDIO}a=ptime:60\r\n${VIDEO}`],
])('asks for %s, in audio only', (_, reception, asked) => {
  expect(requestAudio(OFFER, reception)).toBe(asked)
})

test('finds the audio behind the video', () => {
  expect(requestAudio(SESSION + VIDEO + AUDIO, { receivesVideo: true, packetMs: 60 })).toBe(`${SESSION}${VIDEO}${AUDIO}a=ptime:60\r\n`)
})
