// Network addresses of clients: one spelling for each, and the address of the client behind a request.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const LONGEST_ADDRESS = 45

type Request = Pick<IncomingMessage, 'headers' | 'socket'>

/** An IPv4 address that is mapped into IPv6 is that IPv4 address, and an IPv6 address has no zone. Other text stays as it is. */
export function plainAddress(address: string): string {
  const zoneless = address.replace(/%.*$/, '')
  return isIP(zoneless) === 0 ? address : ipaddr.process(zoneless).toString()
}

/** Also of a host in a URL, with or without brackets. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return name === 'localhost' || (isIP(name) !== 0 && ipaddr.process(name).range() === 'loopback')
}

/** One household or machine: an IPv4 address, or the /64 that an IPv6 customer gets. A header may hold any text instead, of any length. */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  return isIP(plain) === 6 ? ipaddr.IPv6.parse(plain).parts.slice(0, 4).join(':') : plain.slice(0, LONGEST_ADDRESS)
}

/** The address that Fastify's `request.ip` shows: with a trusted proxy the last one of X-Forwarded-For, which the proxy itself appends. */
export function clientAddress(request: Request, trustProxy: boolean): string {
  const forwarded = trustProxy ? forwardedFor(request).at(-1) : undefined
  return forwarded ?? request.socket.remoteAddress ?? ''
}

/** The client's address where the client cannot have chosen it, otherwise null: a proxy that is not trusted hides the client. */
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
