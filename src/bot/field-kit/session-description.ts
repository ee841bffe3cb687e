// Redacts a session description: what describes media stays, addresses, keys and names go.
import type { Pseudonyms } from './pseudonyms.ts'

const HIDDEN = /^a=(?:candidate|remote-candidates|ice-ufrag|ice-pwd|fingerprint|crypto|identity|rtcp:|tls-id)/
/** Their values are standard words and numbers. */
const KEPT =
  /^(?:v=|t=|b=|a=(?:rtpmap|fmtp|rtcp-fb|extmap|mid|group|setup|sctp|max-message-size|send|recv|inactive|rtcp-mux|rtcp-rsize|bundle-only|rid|simulcast|ice-options|extmap-allow-mixed|ptime|maxptime|end-of-candidates|ice-lite))/

export function redactDescription(sdp: string, pseudonyms: Pseudonyms): string {
  const sources = sdp.match(/^a=(?:ssrc|ssrc-group|x-[\w-]+):.*$/gm)?.join('\n') ?? ''
  for (const [number] of sources.matchAll(/\d+/g)) pseudonyms.learnNumber(Number(number))
  return sdp
    .split(/\r?\n/)
    .map((line) => redactLine(line, pseudonyms))
    .join('\r\n')
}

function redactLine(line: string, pseudonyms: Pseudonyms): string {
  if (line.startsWith('o=')) return 'o=- 1 1 IN IP4 0.0.0.0'
  if (line.startsWith('s=')) return 's=-'
  if (line.startsWith('c=')) return 'c=IN IP4 0.0.0.0'
  if (line.startsWith('m=')) return line.replace(/^(m=\w+) \d+/, '$1 9')
  const [hidden] = HIDDEN.exec(line) ?? []
  if (hidden !== undefined) return `${hidden.replace(/:$/, '')}:[removed]`
  if (KEPT.test(line) || line === '') return line
  const [, name = '', value = ''] = /^(a=[\w-]+:?)(.*)$/.exec(line) ?? []
  return name === ''
    ? ''
    : `${name}${value.replaceAll(/\S+/g, (it) => (/^[\w-]+:\S*$/.test(it) ? labelled(it, pseudonyms) : pseudonyms.id(it)))}`
}

/** `cname:` and `msid:` keep their names. */
function labelled(part: string, pseudonyms: Pseudonyms): string {
  const end = part.indexOf(':') + 1
  const label = part.slice(0, end)
  return /^(?:cname|msid|mslabel|label):$/.test(label) ? `${label}${pseudonyms.id(part.slice(end))}` : pseudonyms.id(part)
}
