// Filters ICE candidates that guests send to a bot, so that its browser sends no packets into its private network.
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isPublicAddress } from '../kit/address-guard.ts'
import { isLoopback, plainAddress } from '../kit/addresses.ts'
import type { Signal } from './wire.ts'

/** `sender` is the IP address of the guest's socket, or null if it is not certain. Returns null if nothing is left of the signal. */
export function filterSignal(signal: Signal, sender: string | null): Signal | null {
  if ('description' in signal) return { description: { ...signal.description, sdp: filterSdp(signal.description.sdp, sender) } }
  const { candidate } = signal.candidate
  // The empty candidate marks the end of candidates.
  if (candidate === '') return signal
  const allowed = checkedCandidate(candidate, sender)
  return allowed === null ? null : { candidate: { ...signal.candidate, candidate: allowed } }
}

/** The values that Chromium writes before it has candidates. ICE does not use these lines. */
const PLACEHOLDERS = [
  [/^\s*c\s*=/i, 'c=IN IP4 0.0.0.0'],
  [/^\s*a\s*=\s*rtcp\s*:/i, 'a=rtcp:9 IN IP4 0.0.0.0'],
] as const
const CANDIDATE_LINE = /^\s*a\s*=\s*(?=(?:remote-)?candidates?\b)/i

function filterSdp(sdp: string, sender: string | null): string {
  const lines = sdp.split(/\r\n|\r|\n/).flatMap((line) => {
    const blank = PLACEHOLDERS.find(([shape]) => shape.test(line))
    if (blank) return [blank[1]]
    if (!CANDIDATE_LINE.test(line)) return [line]
    const allowed = checkedCandidate(line.replace(CANDIDATE_LINE, ''), sender)
    return allowed === null ? [] : [`a=${allowed}`]
  })
  return lines.join('\r\n')
}

/** Foundation, component, transport, priority, address, port, type and extensions (RFC 8839, 5.1). */
const CANDIDATE = /^candidate:[\w+/]{1,32} \d{1,3} udp \d{1,10} (\S+) \d{1,5} typ (?:host|srflx|prflx|relay)(?: [\x21-\x7e]+)*$/i

/**
 * Normalised to single blanks, so that the browser parses the same address that was checked. TCP candidates are dropped, because browsers
 * offer only active ones, which cannot be connected to.
 */
function checkedCandidate(text: string, sender: string | null): string | null {
  const tidy = text.trim().replaceAll(/\s+/g, ' ')
  const address = CANDIDATE.exec(tidy)?.[1]
  return address !== undefined && isAllowed(address, sender) ? tidy : null
}

/** An mDNS name with which a browser hides its address. Devices have no such names, and they cannot be guessed. */
const HIDDEN_ADDRESS = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.local$/i

function isAllowed(text: string, sender: string | null): boolean {
  if (isIP(text) === 0) return HIDDEN_ADDRESS.test(text) && sender !== null && !isPublicAddress(sender)
  const address = plainAddress(text)
  if (address === sender || isPublicAddress(address)) return true
  // A guest on this machine may use any address of this machine.
  return sender !== null && isLoopback(sender) && (isLoopback(address) || ownAddresses().includes(address))
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => plainAddress(address)))
}
