// Which addresses a stranger may name to a bot's browser, which sends packets to all of them: no path into the bot's own network.
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isLoopback, plainAddress } from '../../kit/addresses.ts'
import { isPublicAddress } from '../../kit/outgoing-guard.ts'
import type { Signal } from './wire.ts'

/** `sender` is the address its socket came from; null where that is not certain. Null: nothing is left of the signal. */
export function guarded(signal: Signal, sender: string | null): Signal | null {
  if ('description' in signal) return { description: { ...signal.description, sdp: guardedSdp(signal.description.sdp, sender) } }
  const { candidate } = signal.candidate
  // The empty one says that no more will come.
  if (candidate === '') return signal
  const allowed = guardedCandidate(candidate, sender)
  return allowed === null ? null : { candidate: { ...signal.candidate, candidate: allowed } }
}

/** Chromium's own spelling of a description whose candidates come later. ICE does not use these lines. */
const BLANKS = [
  [/^\s*c\s*=/i, 'c=IN IP4 0.0.0.0'],
  [/^\s*a\s*=\s*rtcp\s*:/i, 'a=rtcp:9 IN IP4 0.0.0.0'],
] as const
const CANDIDATE_LINE = /^\s*a\s*=\s*(?=(?:remote-)?candidates?\b)/i

function guardedSdp(sdp: string, sender: string | null): string {
  const lines = sdp.split(/\r\n|\r|\n/).flatMap((line) => {
    const blank = BLANKS.find(([shape]) => shape.test(line))
    if (blank) return [blank[1]]
    if (!CANDIDATE_LINE.test(line)) return [line]
    const allowed = guardedCandidate(line.replace(CANDIDATE_LINE, ''), sender)
    return allowed === null ? [] : [`a=${allowed}`]
  })
  return lines.join('\r\n')
}

/** Foundation, component, transport, priority, address, port, type, and whatever follows (RFC 8839, 5.1). */
const CANDIDATE = /^candidate:[\w+/]{1,32} \d{1,3} udp \d{1,10} (\S+) \d{1,5} typ (?:host|srflx|prflx|relay)(?: [\x21-\x7e]+)*$/i

/**
 * Spelled with single blanks, so that the browser reads the address that was checked. Browsers meet each other by UDP only: the TCP
 * candidates that they offer cannot be connected to.
 */
function guardedCandidate(text: string, sender: string | null): string | null {
  const tidy = text.trim().replaceAll(/\s+/g, ' ')
  const address = CANDIDATE.exec(tidy)?.[1]
  return address !== undefined && mayBeNamed(address, sender) ? tidy : null
}

/** A browser's name for an address that it hides. Devices have no such names, and nobody can guess one. */
const HIDDEN_ADDRESS = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.local$/i

function mayBeNamed(text: string, sender: string | null): boolean {
  if (isIP(text) === 0) return HIDDEN_ADDRESS.test(text) && sender !== null && !isPublicAddress(sender)
  const address = plainAddress(text)
  if (address === sender || isPublicAddress(address)) return true
  // A sender on this machine may use any address of this machine.
  return sender !== null && isLoopback(sender) && (isLoopback(address) || ownAddresses().includes(address))
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => plainAddress(address)))
}
