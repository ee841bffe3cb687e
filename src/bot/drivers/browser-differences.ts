// Why a page sees something else in a bot's browser than in an ordinary one. Nothing that a page sees is faked.

/** Functions of the page that the bot replaces, with the reason. It replaces no other. */
const REPLACED_FUNCTIONS: Readonly<Record<string, string>> = {
  RTCPeerConnection: 'the recording and the driver learn of each connection',
  'RTCPeerConnection.prototype.constructor': 'the same',
  'RTCPeerConnection.prototype.addTransceiver': 'the recording takes the frames of a receiver before the first one arrives',
  'RTCPeerConnection.prototype.setRemoteDescription': 'the recording gives the page the streams that it asks for in its track events',
  'RTCPeerConnection.prototype.createDataChannel': 'the driver reads messages that name the people and their streams',
  'RTCRtpReceiver.prototype.transform': 'the recording shares encoded frames with a page that takes them itself',
  'RTCRtpReceiver.prototype.createEncodedStreams': 'the same, in the older form',
  'RTCRtpReceiver.prototype.getSynchronizationSources': 'the built-in room plays no sound for a bot, so the browser measures no levels',
  Worker: 'the recording shares encoded frames with workers of the page, and the driver reads their messages',
  fetch: 'the driver reads answers that name the people',
  'XMLHttpRequest.prototype.open': 'the same',
  WebSocket: 'the same, for messages',
  'Function.prototype.bind': 'the same, where a client receives messages in a bound function',
  'AudioNode.prototype.connect': 'a client decodes sound itself, and the recording takes it before the speaker',
  'MediaDevices.prototype.getUserMedia': 'the bot’s own microphone and camera',
  'MediaDevices.prototype.enumerateDevices': 'the same',
}

type Row = { readonly fact: RegExp; readonly why: string; readonly holds?: (bot: string, ordinary: string) => boolean }

const OWN_PROFILE = 'Each bot has a profile of its own that ends with its meeting, like a private window.'

/** Permissions without which nothing is recorded or sent. */
const NEEDED = 'camera|microphone|local-network-access|local-network|loopback-network'

const ROWS: readonly Row[] = [
  { fact: /^webdriver$/, why: 'Chromium tells every page that a program drives it.', holds: (bot) => bot === 'true' },
  {
    fact: new RegExp(`^permission (?:${NEEDED})$`),
    why: 'The bot may use its devices and this machine without a question.',
    holds: (bot) => bot === 'granted',
  },
  {
    fact: new RegExp(`^(?:permission (?!(?:${NEEDED})$).+|Notification\\.permission)$`),
    why: 'No person answers a question of the browser.',
    holds: (bot) => bot === 'denied',
  },
  { fact: /^devices$/, why: 'The bot has a microphone, a camera and a speaker of its own.' },
  { fact: /^style sheets$/, why: 'Videos are not painted: what is recorded need not be seen.' },
  { fact: /^(screen|window size)$/, why: 'The window has the size of a screenshot.' },
  { fact: /^sound without a click$/, why: 'No person clicks before the sound of a meeting begins.' },
  { fact: /^(WebGL|WebGL2)$/, why: 'Pictures of WebGL are drawn without a GPU, or not at all in a headless browser.' },
  { fact: /^third-party storage$/, why: OWN_PROFILE },
]

/** A sentence, or null where no reason is known. */
export function reasonFor(fact: string, bot: string, ordinary: string): string | null {
  if (fact.startsWith('function ')) return REPLACED_FUNCTIONS[fact.replace(/^function (webkit)?| =$/g, '')] ?? null
  return ROWS.find((row) => row.fact.test(fact) && (row.holds?.(bot, ordinary) ?? true))?.why ?? null
}
