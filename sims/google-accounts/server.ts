// Google's accounts with their own TLS server, for tests without a meeting.
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { GOOGLE_ACCOUNTS_HOSTS, type GoogleAccounts, type GoogleAccountsOptions, googleAccounts } from './accounts.ts'
import { type Certificate, makeCertificate } from './certificate.ts'

export type GoogleAccountsServer = {
  readonly accounts: GoogleAccounts
  readonly port: number
  readonly tls: Certificate
  close(): Promise<void>
}

export async function startGoogleAccounts(options: GoogleAccountsOptions): Promise<GoogleAccountsServer> {
  const accounts = googleAccounts(options)
  const tls = makeCertificate({ names: GOOGLE_ACCOUNTS_HOSTS, kind: 'ec' })
  const server = createServer({ key: tls.key, cert: tls.certificate }, (request, response) => {
    if (!accounts.handle(request, response)) response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    accounts,
    port: (server.address() as AddressInfo).port,
    tls,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
