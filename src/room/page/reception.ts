// What we ask of everyone who sends to us, and how the description that is sent asks for it.

export type Reception = {
  /** False: the other person sends neither camera nor screen on this connection. */
  readonly receivesVideo: boolean
  /** The length of the audio packets that the other person sends; null: the browser's own, 20 ms. */
  readonly packetMs: number | null
}

/** By these the sender estimates the bandwidth: we send feedback about every packet, and it fills the connection with empty packets. */
const BANDWIDTH = /^a=(?:rtcp-fb:\d+ transport-cc|extmap:\d+ \S*(?:transport-wide-cc|abs-send-time)\S*)\r\n/gm

/** Without video there is no bitrate to estimate: audio is sent at its maximum. A packet length is RFC 8866, 6.4. */
export function requestAudio(sdp: string, { receivesVideo, packetMs }: Reception): string {
  const inAudio = (section: string): string => {
    const wanted = receivesVideo ? section : section.replace(BANDWIDTH, '')
    return packetMs === null ? wanted : `${wanted}a=ptime:${packetMs}\r\n`
  }
  return sdp
    .split(/^(?=m=)/m)
    .map((section) => (section.startsWith('m=audio') ? inAudio(section) : section))
    .join('')
}
