// The part of Zoom's REST API that token servers ask: OAuth tokens, and the ZAK and OBF tokens of users.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ZoomRest = {
  readonly url: string
  /** The requests, in order. */
  readonly asked: readonly string[]
  close(): void
}

type Reply = { readonly status: number; readonly body: object }

export const CLIENT = { id: 'client id', secret: 'client secret', account: 'account id' } as const

/** Zoom gives a new refresh token with every access token, and accepts each once. */
export async function startZoomRest(): Promise<ZoomRest> {
  const asked: string[] = []
  const refreshTokens = new Set<string>()
  let turns = 0

  const grants: Readonly<Record<string, (fields: URLSearchParams) => object | null>> = {
    account_credentials: (fields) => (fields.get('account_id') === CLIENT.account ? { access_token: 'account-access' } : null),
    authorization_code: (fields) => (fields.get('code') === 'the-code' && fields.get('redirect_uri') ? newTokens() : null),
    refresh_token: (fields) => (refreshTokens.delete(fields.get('refresh_token') ?? '') ? newTokens() : null),
  }
  function newTokens(): object {
    turns += 1
    refreshTokens.add(`refresh-${turns}`)
    return { access_token: `access-${turns}`, refresh_token: `refresh-${turns}`, expires_in: 3599 }
  }
  function grant(authorization: string, fields: URLSearchParams): Reply {
    const kind = fields.get('grant_type') ?? ''
    asked.push(`token ${kind}`)
    const isClient = authorization === `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`
    const granted = isClient ? grants[kind]?.(fields) : null
    return granted ? { status: 200, body: granted } : { status: 400, body: { reason: 'Invalid Token!', error: 'invalid_grant' } }
  }
  function reply({ url = '', headers: { authorization = '' } }: IncomingMessage, body: string): Reply {
    const { pathname, searchParams } = new URL(url, 'http://zoom')
    if (pathname === '/oauth/token') return grant(authorization, new URLSearchParams(body))
    const [, user = ''] = /^\/v2\/users\/([^/]+)\/token$/.exec(pathname) ?? []
    const type = searchParams.get('type')
    asked.push(`${decodeURIComponent(user)} ${type} ${searchParams.get('meeting_id') ?? '-'}`)
    if (!/^Bearer (account-)?access/.test(authorization)) return { status: 401, body: { message: 'Invalid access token.' } }
    return { status: 200, body: { token: `${type}.${Buffer.from(`${user} ${authorization}`).toString('base64url')}.signed` } }
  }

  const server = createServer(async (request, response) => {
    const { status, body } = reply(request, Buffer.concat(await request.toArray()).toString())
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close }
}
