// Images and clips on loopback, as a caller's web server has them.
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type FilesServer = { url(name: string): string; close(): Promise<void> }

export async function serveFiles(files: Readonly<Record<string, Buffer>>): Promise<FilesServer> {
  const server = createServer((request, response) => {
    const body = files[(request.url ?? '').slice(1)]
    response.writeHead(body ? 200 : 404).end(body ?? 'no such file')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: (name) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The output of `ffmpeg -f lavfi -i <source> <args>`. */
function drawn(source: string, ...args: readonly string[]): Buffer {
  return execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', source, ...args, '-'], { maxBuffer: 2 ** 26 })
}

export const png = (colour: string): Buffer =>
  drawn(`color=${colour.replace('#', '0x')}:s=640x360`, '-frames:v', '1', '-c:v', 'png', '-f', 'image2pipe')
export const wav = (hertz: number, seconds: number): Buffer =>
  drawn(`sine=frequency=${hertz}:duration=${seconds}`, '-af', 'volume=4', '-f', 'wav')
