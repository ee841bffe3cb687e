// A simulated site over HTTPS on one loopback port, and the flags with which a Chromium finds its hosts there.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { ONE_PATH } from '../webrtc/peer.ts'
import { makeCertificate } from './certificate.ts'

export type SiteHandlers = {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export type ServedSite = {
  readonly port: number
  readonly flags: readonly string[]
  close(): Promise<void>
}

export async function serveSite(hosts: readonly string[], site: SiteHandlers): Promise<ServedSite> {
  const { key, cert, spki } = await makeCertificate(hosts)
  const server = createServer({ key, cert }, (request, response) => {
    // A page that goes away in the middle of a request gets no answer.
    site.handle(request, response).catch((error: unknown) => {
      if (!response.destroyed) response.destroy(error instanceof Error ? error : undefined)
    })
  })
  if (site.upgrade) server.on('upgrade', (request, socket, head) => site.upgrade?.(request, socket, head))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1:${port}`).join(', ')
  return {
    port,
    flags: [`--host-resolver-rules=${rules}`, `--ignore-certificate-errors-spki-list=${spki}`, ONE_PATH],
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The address that the page requested: the port is that of the loopback server. */
export function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '/', `https://${(request.headers.host ?? 'unknown').replace(/:\d+$/, '')}`)
}
