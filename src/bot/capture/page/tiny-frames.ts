// The smallest black picture of each codec, which the page decodes instead of the real frame at almost no cost.

/**
 * One 16x16 key frame each. Made with ffmpeg 5.1 from `-f lavfi -i color=black:s=16x16:r=1 -frames:v 1`:
 * vp8 `-c:v libvpx`, vp9 `-c:v libvpx-vp9`, av1 `-c:v libaom-av1`, each `-f ivf` with the file header (32 bytes) and the frame header
 * (12 bytes) cut off; h264 `-pix_fmt yuv420p -c:v libx264 -profile:v baseline -bsf:v filter_units=remove_types=6 -f h264`.
 */
const TINY_BASE64: Readonly<Record<string, string>> = {
  vp8: 'EAIAnQEqEAAQAABHCIWFiJmEiAICAAwNYAD+/6tQgA==',
  vp9: 'gkmDQgAA8AD2ADgkHBhKAAAwYAAAEL///UiMAA==',
  av1: 'EgAKCgAAAAGf+f/zAIAyDhAAwAAAAoAAAACpjljU',
  h264: 'AAAAAWdCwArZHsBEAAADAAQAAAMACDxImSAAAAABaMuDyyAAAAFliIQFf///D0UAAULfgA==',
}

const decoded = new Map<string, Uint8Array>()

/** A new copy, because a frame takes ownership of its buffer; null for a codec without one. */
export function tinyFrame(codec: string): ArrayBuffer | null {
  const text = TINY_BASE64[codec]
  if (text === undefined) return null
  const bytes = decoded.get(codec) ?? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  decoded.set(codec, bytes)
  return new Uint8Array(bytes).buffer
}
