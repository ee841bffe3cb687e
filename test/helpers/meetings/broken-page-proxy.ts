// A reverse proxy for the service whose room pages lack encoded transforms, so that a bot receives no frames.
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'

const BREAKAGE = `<script>globalThis.RTCRtpScriptTransform = class { constructor() { throw new TypeError('no transforms here') } }</script>`

export type Proxy = { readonly url: string; close(): void }

export async function startBreakingProxy(port: number): Promise<Proxy> {
  const server = createServer((incoming, response) => {
    const { method, url: path, headers } = incoming
    const toService = request(
      { host: '127.0.0.1', port, method, path, headers: { ...headers, 'accept-encoding': 'identity' } },
      async (answer) => {
        const isPage = answer.headers['content-type']?.startsWith('text/html')
        const { 'content-length': _, ...others } = answer.headers
        response.writeHead(answer.statusCode ?? 502, isPage ? others : answer.headers)
        if (isPage) response.end((await text(answer)).replace('<head>', `<head>${BREAKAGE}`))
        else answer.pipe(response)
      },
    )
    toService.on('error', () => response.destroy())
    incoming.pipe(toService)
  })
  server.on('upgrade', ({ method, url: path, rawHeaders }, socket, head) => {
    const toService = connect(port, '127.0.0.1')
    const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []))
    toService.write([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
    toService.write(head)
    toService.pipe(socket).pipe(toService)
    socket.on('error', () => toService.destroy())
    toService.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
