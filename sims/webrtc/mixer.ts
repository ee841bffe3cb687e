// Encodes the mixed audio in real time: samples go into an ffmpeg process, one Opus packet per frame comes out about 40 ms later.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'

/** The demuxer buffers a tenth of a second at the declared rate. A quarter of the real rate makes that 20 ms. */
const INPUT = ['-fflags', 'nobuffer', '-probesize', '32', '-f', 's16le', '-ar', '12000', '-ac', '1', '-i', 'pipe:0']
const OPUS = ['-af', 'asetrate=48000', '-c:a', 'libopus', '-b:a', '32k', '-application', 'lowdelay', '-frame_duration', '20']
const OGG = ['-flush_packets', '1', '-page_duration', '20000', '-f', 'ogg', 'pipe:1']
/** The identification and the comment header. */
const HEADERS = 2
const PAGE_HEAD = 27

export class OpusEncoder {
  readonly #process: ChildProcessWithoutNullStreams
  readonly #onPacket: (opus: Buffer) => void
  #received: Buffer = Buffer.alloc(0)
  #begun: Buffer[] = []
  #headers = 0

  constructor(onPacket: (opus: Buffer) => void) {
    this.#onPacket = onPacket
    this.#process = spawn('ffmpeg', ['-v', 'error', ...INPUT, ...OPUS, ...OGG], { stdio: 'pipe' })
    this.#process.stdout.on('data', (bytes: Buffer) => this.#read(bytes))
    // Closing the call may break the pipe.
    this.#process.stdin.on('error', () => undefined)
  }

  write(frame: Int16Array): void {
    this.#process.stdin.write(Buffer.from(Uint8Array.from(new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength))))
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const exited = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.kill('SIGKILL')
    await exited
  }

  #read(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes])
    for (let page = this.#nextPage(); page; page = this.#nextPage()) this.#takePage(page)
  }

  #nextPage(): { readonly lengths: Buffer; readonly content: Buffer } | null {
    const bytes = this.#received
    if (bytes.length < PAGE_HEAD) return null
    const headBytes = PAGE_HEAD + bytes.readUInt8(PAGE_HEAD - 1)
    const lengths = bytes.subarray(PAGE_HEAD, headBytes)
    const pageBytes = headBytes + lengths.reduce((sum, length) => sum + length, 0)
    if (bytes.length < headBytes || bytes.length < pageBytes) return null
    this.#received = bytes.subarray(pageBytes)
    return { lengths, content: bytes.subarray(headBytes, pageBytes) }
  }

  #takePage({ lengths, content }: { readonly lengths: Buffer; readonly content: Buffer }): void {
    let at = 0
    for (const length of lengths) {
      this.#begun.push(content.subarray(at, at + length))
      at += length
      // A segment of 255 bytes continues in the next one.
      if (length === 255) continue
      const packet = Buffer.concat(this.#begun.splice(0))
      this.#headers++
      if (this.#headers > HEADERS) this.#onPacket(packet)
    }
  }
}
