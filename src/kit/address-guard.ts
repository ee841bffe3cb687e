// Blocks private addresses: a connector that checks the address to which it then connects.
import { Resolver, lookup as systemResolve } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { NetworkError } from './network-error.ts'

type Address = { readonly address: string; readonly family: number }
/** Resolves a host name to all its addresses. */
export type Lookup = (hostname: string) => Promise<readonly Address[]>

/** Publicly routable, but Azure serves its instance metadata there. */
const CLOUD_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16'])
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** Accepts only plain global unicast: mapped, translated and tunnelled addresses embed another address. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || CLOUD_ADDRESSES.has(address)) return false
  const parsed = ipaddr.parse(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6))
}

/** Checks the host of a URL without DNS. */
export function isPrivateHost(hostname: string): boolean {
  const name = bare(hostname)
  return isIP(name) === 0 ? PRIVATE_NAMES.test(name) : !isPublicAddress(name)
}

/** Names without public DNS: single labels, and the suffixes reserved for private networks (RFC 6761, 6762, 8375; `internal` by ICANN). */
const PRIVATE_NAMES = /^[^.]+$|\.(localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/

/** Connects to the address that was checked, which blocks DNS rebinding. */
export function guardedConnector({ allowPrivate, lookup, timeoutMs }: { allowPrivate: boolean; lookup: Lookup; timeoutMs: number }) {
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs, lookup: checkedLookup(lookup, allowPrivate) })
  const guarded: buildConnector.connector = (options, callback) => {
    // An address literal skips the lookup.
    const name = bare(options.hostname)
    if (!allowPrivate && isIP(name) !== 0 && !isPublicAddress(name)) callback(blocked(name, name), null)
    else connect(options, callback)
  }
  return guarded
}

/**
 * The system resolver blocks one of four threads while a name server does not answer, so a few dead names would block all others.
 * A `Resolver` queries name servers directly and blocks no thread. It ignores the hosts file, which only private names need.
 */
export function defaultLookup(allowPrivate: boolean): Lookup {
  if (allowPrivate) return (hostname) => systemResolve(hostname, { all: true })
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
    return [v4, v6]
      .flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      .map((address) => ({ address, family: isIP(address) }))
  }
}

function checkedLookup(lookup: Lookup, allowPrivate: boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    addressesOf(hostname, lookup, allowPrivate).then(
      (addresses) => (all ? callback(null, [...addresses]) : callback(null, addresses[0].address, addresses[0].family)),
      (error: NetworkError) => callback(error, ''),
    )
  }
}

async function addressesOf(hostname: string, lookup: Lookup, allowPrivate: boolean): Promise<[Address, ...Address[]]> {
  const [first, ...others] = await lookup(hostname).catch((cause: unknown) => {
    throw new NetworkError('dns', `${hostname} could not be resolved.`, { cause })
  })
  if (!first) throw new NetworkError('dns', `${hostname} has no address.`)
  // One private address is enough to block the name: the client could connect to any of them.
  const bad = allowPrivate ? undefined : [first, ...others].find(({ address }) => !isPublicAddress(address))
  if (bad) throw blocked(hostname, bad.address)
  return [first, ...others]
}

function blocked(host: string, address: string): NetworkError {
  return new NetworkError(
    'blocked_address',
    host === address ? `${host} is not a public address.` : `${host} leads to ${address}, which is not a public address.`,
  )
}

/** Removes the brackets of an IPv6 literal and the trailing dot of an absolute name. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()
}
