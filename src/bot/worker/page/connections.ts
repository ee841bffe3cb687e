/// <reference lib="dom" />
// Learns of each peer connection of the page.

/** Older pages use it. It is the same class in the browser. */
const OTHER_NAME = 'webkitRTCPeerConnection'

/** Calls the function with each new connection and its configuration, before the page has it. */
export function onNewConnection(follow: (connection: RTCPeerConnection, configuration: unknown) => void): void {
  const { RTCPeerConnection: Before } = window
  const Followed = new Proxy(Before, {
    construct(target, args, newTarget) {
      const connection = Reflect.construct(target, args, newTarget) as RTCPeerConnection
      follow(connection, args[0])
      return connection
    },
  })
  // A page may take the class from one of its connections.
  Object.assign(Before.prototype, { constructor: Followed })
  for (const name of ['RTCPeerConnection', OTHER_NAME]) if (name in window) Reflect.set(window, name, Followed)
}
