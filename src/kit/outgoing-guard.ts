// Which addresses may be reached, and a connector that asks this of the very address it then connects to.
import { Resolver, lookup as systemResolve } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { OutgoingError } from './outgoing-error.ts'

type Address = { readonly address: string; readonly family: number }
/** All addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly Address[]>

/** Public by its number, but the door to a cloud's own machinery from inside it. */
const CLOUD_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16'])
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** Only plain global unicast: mapped, translated and tunnelled addresses hide another one. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || CLOUD_ADDRESSES.has(address)) return false
  const parsed = ipaddr.parse(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6))
}

/** What can be said of a URL's host without asking DNS. */
export function isPrivateHost(hostname: string): boolean {
  const name = bare(hostname)
  return isIP(name) === 0 ? PRIVATE_NAMES.test(name) : !isPublicAddress(name)
}

/** Names that no public DNS has: one word, and the endings that are kept for networks of one's own (RFC 6761, 6762, 8375; `internal` by ICANN). */
const PRIVATE_NAMES = /^[^.]+$|\.(localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/

/** The connection is made to an address that was checked, so a name that changes its mind in between gains nothing. */
export function guardedConnector({ allowPrivate, lookup, timeoutMs }: { allowPrivate: boolean; lookup: Lookup; timeoutMs: number }) {
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs, lookup: checkedLookup(lookup, allowPrivate) })
  const guarded: buildConnector.connector = (options, callback) => {
    // A literal address never reaches the lookup.
    const name = bare(options.hostname)
    if (!allowPrivate && isIP(name) !== 0 && !isPublicAddress(name)) callback(blocked(name, name), null)
    else connect(options, callback)
  }
  return guarded
}

/**
 * The system's resolver holds one of four threads for as long as a name server is silent, so that a few dead names would stop all others;
 * the one that asks name servers directly holds none. It knows no hosts file, which only private names need.
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
      (error: OutgoingError) => callback(error, ''),
    )
  }
}

async function addressesOf(hostname: string, lookup: Lookup, allowPrivate: boolean): Promise<[Address, ...Address[]]> {
  const [first, ...others] = await lookup(hostname).catch((cause: unknown) => {
    throw new OutgoingError('dns', `${hostname} could not be resolved.`, { cause })
  })
  if (!first) throw new OutgoingError('dns', `${hostname} has no address.`)
  // One private address among public ones is already a trick: which of them would be used is chance.
  const bad = allowPrivate ? undefined : [first, ...others].find(({ address }) => !isPublicAddress(address))
  if (bad) throw blocked(hostname, bad.address)
  return [first, ...others]
}

function blocked(host: string, address: string): OutgoingError {
  return new OutgoingError(
    'blocked_address',
    host === address ? `${host} is not a public address.` : `${host} leads to ${address}, which is not a public address.`,
  )
}

/** Without the brackets of an IPv6 literal and the dot of an absolute name. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()
}
