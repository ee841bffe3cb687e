// The page's data channel listeners: they report all messages in order, and survive unreadable ones.
import { afterEach, expect, test, vi } from 'vitest'
import { followConnections } from './page/listeners.ts'

class Channel extends EventTarget {
  readonly label: string

  constructor(label: string) {
    super()
    this.label = label
  }

  brings(data: unknown): void {
    this.dispatchEvent(Object.assign(new Event('message'), { data }))
  }
}

/** The followed parts of the browser's classes. */
class Connection extends EventTarget {
  createDataChannel(label: string): Channel {
    return new Channel(label)
  }
  async setLocalDescription(): Promise<void> {}
  async setRemoteDescription(): Promise<void> {}

  opensChannel(label: string): Channel {
    const channel = new Channel(label)
    this.dispatchEvent(Object.assign(new Event('datachannel'), { channel }))
    return channel
  }
}

class TornBlob extends Blob {
  override arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.reject(new Error('It is gone.'))
  }
}

afterEach(() => void vi.unstubAllGlobals())

function stubConnection(connection: typeof Connection): void {
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('RTCPeerConnection', connection)
}

/** A new followed connection, and its reports. */
function followed({ refuses = '' } = {}) {
  stubConnection(class extends Connection {})
  const [reported, met]: [string[], unknown[]] = [[], []]
  const report = (message: object) => {
    const text = Object.values(message).join(' ')
    if (refuses && text.endsWith(refuses)) throw new Error('Nobody listens.')
    reported.push(text)
  }
  followConnections({ channels: ['collections', 'captions'], report, onConnection: (connection) => void met.push(connection) })
  return { connection: new RTCPeerConnection() as unknown as Connection, reported, met }
}

const bytes = (text: string) => new TextEncoder().encode(text)

test('reports messages of both sides’ channels in order, as blobs or bytes, and only of the configured channels', async () => {
  const { connection, reported, met } = followed()
  const [own, other] = [connection.createDataChannel('collections'), connection.createDataChannel('anything')]
  own.brings(new Blob([bytes('one')]))
  other.brings(bytes('secret').buffer)
  own.brings(bytes('two').buffer)
  await vi.waitFor(() => expect(reported).toEqual([`collections ${btoa('one')}`, `collections ${btoa('two')}`]))
  connection.opensChannel('captions').brings(bytes('three').buffer)
  await vi.waitFor(() => expect(reported.slice(2)).toEqual([`captions ${btoa('three')}`]))
  expect(met).toEqual([connection])
})

test.each([
  ['cannot be read', new TornBlob()],
  ['is a text', 'hello'],
  ['the binding rejects', bytes('refused').buffer],
])('keeps reporting after a message that %s', async (_, data) => {
  const { connection, reported } = followed({ refuses: btoa('refused') })
  const channel = connection.createDataChannel('collections')
  channel.brings(data)
  channel.brings(bytes('next').buffer)
  await vi.waitFor(() => expect(reported).toEqual([`collections ${btoa('next')}`]))
})

test('reports messages that the page sends and remote descriptions, and leaves both working', async () => {
  const sentTo: unknown[] = []
  class Sender extends Channel {
    send(data: unknown): void {
      sentTo.push(data)
    }
  }
  stubConnection(
    class extends Connection {
      override createDataChannel(label: string): Channel {
        return new Sender(label)
      }
    },
  )
  const reported: object[] = []
  const sent = { main: 'requests' }
  followConnections({ channels: [], sent, description: 'sdp', report: (it) => void reported.push(it), onConnection: () => undefined })
  const connection = new RTCPeerConnection()
  const whole = bytes('abcdef')
  const [main, other] = [connection.createDataChannel('main'), connection.createDataChannel('other')]
  main.send(whole.subarray(2, 4))
  main.send('text')
  other.send('secret')
  await connection.setRemoteDescription({ type: 'answer', sdp: 'v=0' })
  await connection.setLocalDescription({ type: 'offer', sdp: 'own' })
  expect(sentTo).toEqual([bytes('cd'), 'text', 'secret'])
  expect(reported).toEqual([
    { kind: 'requests', data: btoa('cd') },
    { kind: 'requests', text: 'text' },
    { kind: 'sdp', text: 'v=0' },
  ])
})

test('reports a received track with the id of its stream, and none where tracks are not read', async () => {
  const seen = (tracks: { tracks?: string }) => {
    stubConnection(class extends Connection {})
    const reports: object[] = []
    followConnections({ channels: [], ...tracks, report: (message) => void reports.push(message), onConnection: () => undefined })
    const connection = new RTCPeerConnection()
    connection.dispatchEvent(Object.assign(new Event('track'), { track: { id: 'a', kind: 'audio' }, streams: [{ id: '1024+CS+1' }] }))
    return reports
  }
  expect(seen({ tracks: 'tracks' })).toEqual([{ kind: 'tracks', text: '{"id":"a","kind":"audio","streamId":"1024+CS+1"}' }])
  expect(seen({})).toEqual([])
})
