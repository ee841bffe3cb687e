// Client addresses: their normal form, and the client behind a request.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const LONGEST_ADDRESS = 45

type Request = Pick<IncomingMessage, 'headers' | 'socket'>

/** Unwraps an IPv4-mapped IPv6 address and removes an IPv6 zone. Other text is returned unchanged. */
export function plainAddress(address: string): string {
  const zoneless = address.replace(/%.*$/, '')
  return isIP(zoneless) === 0 ? address : ipaddr.process(zoneless).toString()
}

/** Accepts a host of a URL too, with or without brackets. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return name === 'localhost' || (isIP(name) !== 0 && ipaddr.process(name).range() === 'loopback')
}

/** The IPv4 address, or the /64 prefix of an IPv6 customer. The input may be a header of any length. */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  return isIP(plain) === 6 ? ipaddr.IPv6.parse(plain).parts.slice(0, 4).join(':') : plain.slice(0, LONGEST_ADDRESS)
}

/** The same as Fastify's `request.ip`: behind a trusted proxy the last entry of X-Forwarded-For, which the proxy appends. */
export function clientAddress(request: Request, trustProxy: boolean): string {
  const forwarded = trustProxy ? forwardedFor(request).at(-1) : undefined
  return forwarded ?? request.socket.remoteAddress ?? ''
}

/** The client's address, or null where the client could have forged it. A proxy that is not trusted hides the client. */
export function provenAddress(request: Request, trustProxy: boolean): string | null {
  const isProxied = PROXY_HEADERS.some((name) => request.headers[name] !== undefined)
  const isNamed = trustProxy && forwardedFor(request).length > 0
  if (isProxied && !isNamed) return null
  const address = plainAddress(clientAddress(request, trustProxy))
  return isIP(address) === 0 ? null : address
}

const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const

function forwardedFor({ headers }: Request): readonly string[] {
  const header = headers['x-forwarded-for']
  return typeof header === 'string'
    ? header
        .split(',')
        .map((it) => it.trim())
        .filter((it) => it !== '')
    : []
}
