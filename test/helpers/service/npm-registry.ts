// A registry on loopback with one package, for the real npm.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Registry = {
  readonly url: string
  /** Of its package, in npm's format. */
  readonly integrity: string
  /** How often the tarball was fetched. */
  fetches(): number
  close(): void
}

/** `source`: a folder that contains the package as `package`. */
export async function startRegistry(
  { name, version }: { readonly name: string; readonly version: string },
  source: string,
  files: Readonly<Record<string, string>>,
): Promise<Registry> {
  const tarball = await packed(source, { ...files, 'package.json': JSON.stringify({ name, version }) })
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const shasum = createHash('sha1').update(tarball).digest('hex')
  let fetches = 0
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) {
      fetches++
      response.end(tarball)
      return
    }
    const dist = { tarball: `http://${request.headers.host}/package.tgz`, integrity, shasum }
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { name, version, dist } } }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    integrity,
    fetches: () => fetches,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function packed(source: string, files: Readonly<Record<string, string>>): Promise<Buffer> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(source, 'package', name)
    await mkdir(path.dirname(file), { recursive: true })
    // Some packages contain files that not every user may read.
    await writeFile(file, content, { mode: 0o600 })
  }
  return (await run('tar', ['-cz', '-C', source, 'package'], { encoding: 'buffer' })).stdout
}
