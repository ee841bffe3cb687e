// Arithmetic on RTP counters, which wrap. Timestamps have 32 bits and sequence numbers 16 (RFC 3550, 5.1).

/** Signed, and correct across the wrap. */
export function ticksBetween(from: number, to: number): number {
  return (to - from) | 0
}

/** Signed, and correct across the wrap. */
export function packetsBetween(from: number, to: number): number {
  return ((to - from) << 16) >> 16
}

export function nextSequence(sequence: number): number {
  return (sequence + 1) & 0xffff
}
