// What the meeting tells its page is told on: all of it, in order, whatever one message is like.
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

/** As much of the browser's as is followed. */
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

/** A connection that is followed anew, and what was told of it. */
function followed({ refuses = '' } = {}) {
  vi.stubGlobal('RTCPeerConnection', class extends Connection {})
  const [told, met]: [string[], unknown[]] = [[], []]
  const report = (message: object) => {
    const text = Object.values(message).join(' ')
    if (refuses && text.endsWith(refuses)) throw new Error('Nobody listens.')
    told.push(text)
  }
  followConnections({ channels: ['collections', 'captions'], report, onConnection: (connection) => void met.push(connection) })
  return { connection: new RTCPeerConnection() as unknown as Connection, told, met }
}

const bytes = (text: string) => new TextEncoder().encode(text)

test('messages are told in the order they came, as blobs or as bytes, of either side’s channels, and of none but those that are read', async () => {
  const { connection, told, met } = followed()
  const [own, other] = [connection.createDataChannel('collections'), connection.createDataChannel('anything')]
  own.brings(new Blob([bytes('one')]))
  other.brings(bytes('secret').buffer)
  own.brings(bytes('two').buffer)
  await vi.waitFor(() => expect(told).toEqual([`collections ${btoa('one')}`, `collections ${btoa('two')}`]))
  await connection.setRemoteDescription()
  connection.opensChannel('captions').brings(bytes('three').buffer)
  await vi.waitFor(() => expect(told.slice(2)).toEqual([`captions ${btoa('three')}`]))
  expect(met).toEqual([connection])
})

test.each([
  ['cannot be read', new TornBlob()],
  ['is a text', 'hello'],
  ['nobody takes', bytes('refused').buffer],
])('a message that %s does not silence those behind it', async (_, data) => {
  const { connection, told } = followed({ refuses: btoa('refused') })
  const channel = connection.createDataChannel('collections')
  channel.brings(data)
  channel.brings(bytes('next').buffer)
  await vi.waitFor(() => expect(told).toEqual([`collections ${btoa('next')}`]))
})

test('what the page sends on a channel is reported, and sent; so is the description of the other side', async () => {
  const sentTo: unknown[] = []
  class Sender extends Channel {
    send(data: unknown): void {
      sentTo.push(data)
    }
  }
  vi.stubGlobal(
    'RTCPeerConnection',
    class extends Connection {
      override createDataChannel(label: string): Channel {
        return new Sender(label)
      }
    },
  )
  const told: object[] = []
  const sent = { main: 'requests' }
  followConnections({ channels: [], sent, description: 'sdp', report: (it) => void told.push(it), onConnection: () => undefined })
  const connection = new RTCPeerConnection()
  const whole = bytes('abcdef')
  const [main, other] = [connection.createDataChannel('main'), connection.createDataChannel('other')]
  main.send(whole.subarray(2, 4))
  main.send('text')
  other.send('secret')
  await connection.setRemoteDescription({ type: 'answer', sdp: 'v=0' })
  await connection.setLocalDescription({ type: 'offer', sdp: 'own' })
  expect(sentTo).toEqual([bytes('cd'), 'text', 'secret'])
  expect(told).toEqual([
    { kind: 'requests', data: btoa('cd') },
    { kind: 'requests', text: 'text' },
    { kind: 'sdp', text: 'v=0' },
  ])
})
