// H.264 as files store it (ISO/IEC 14496-15, 5.3): the decoder configuration is a list of numbered parameter sets, and the units of a packet
// have their lengths in front.

const VERSION_AND_PROFILE_BYTES = 4
const LENGTH_BYTES = 4

type Configuration = { readonly sequence: readonly Uint8Array[]; readonly picture: readonly Uint8Array[] }

/** The lengths of its units add up to the length of the packet. */
export function isWellFormed(packet: Uint8Array): boolean {
  const bytes = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength)
  let at = 0
  while (at + LENGTH_BYTES < bytes.length) at += LENGTH_BYTES + bytes.readUInt32BE(at)
  return at > 0 && at === bytes.length
}

/** The numbers of all its parameter sets. */
export function numbersOf(configuration: Uint8Array): readonly number[] {
  const { sequence, picture } = setsOf(configuration)
  // A sequence parameter set has its unit type, profile, compatibility and level before the number, a picture parameter set its unit type.
  return [...sequence.map((set) => exponentialGolomb(set.subarray(4))), ...picture.map((set) => exponentialGolomb(set.subarray(1)))]
}

/** The parameter sets of both, with the profile and level of the first. */
export function mergeConfigurations(first: Uint8Array, second: Uint8Array): Buffer {
  const [a, b] = [setsOf(first), setsOf(second)]
  const sequence = [...a.sequence, ...b.sequence]
  const picture = [...a.picture, ...b.picture]
  return Buffer.concat([
    first.subarray(0, VERSION_AND_PROFILE_BYTES),
    Buffer.from([0xff, 0xe0 | sequence.length]),
    ...sequence.map(sized),
    Buffer.from([picture.length]),
    ...picture.map(sized),
  ])
}

function setsOf(configuration: Uint8Array): Configuration {
  const bytes = Buffer.from(configuration.buffer, configuration.byteOffset, configuration.byteLength)
  let at = VERSION_AND_PROFILE_BYTES + 1
  const list = (mask: number): readonly Uint8Array[] => {
    const count = (bytes[at++] ?? 0) & mask
    return Array.from({ length: count }, () => {
      const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
      at += 2 + length
      return bytes.subarray(at - length, at)
    })
  }
  return { sequence: list(0x1f), picture: list(0xff) }
}

function sized(set: Uint8Array): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(set.byteLength)
  return Buffer.concat([length, set])
}

/** The first number of a bit stream. Numbers of parameter sets are below 256, so they need at most 17 bits. */
function exponentialGolomb([first = 0, second = 0, third = 0]: Uint8Array): number {
  const bits = (first << 16) | (second << 8) | third
  const zeros = Math.clz32(bits) - 8
  return (bits >> (23 - 2 * zeros)) - 1
}
