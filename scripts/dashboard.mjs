// Makes the dashboard's API client and builds the dashboard when they are missing or older than their source. Any Node from 20 runs it.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The command that makes the client; undefined: it is current. */
export function clientBuild(root, node) {
  const web = join(root, 'web', 'src')
  // A container image has the built dashboard without its source.
  if (!existsSync(web)) return undefined
  const script = join(root, 'scripts', 'web-client.ts')
  /** Has the hash of the description that the client was made from. */
  const stamp = join(root, 'node_modules', '.emissary-client')
  const sources = [changedAt(join(root, 'src')), ...[script, join(root, 'package-lock.json')].map((file) => statSync(file).mtimeMs)]
  return existsSync(join(web, 'api', 'types.gen.ts')) && isNewer(stamp, sources) ? undefined : [node, script, stamp]
}

/** The command that builds the dashboard; undefined: the built one is current. */
export function dashboardBuild(root, node) {
  const web = join(root, 'web')
  if (!existsSync(join(web, 'src'))) return undefined
  const sources = [changedAt(join(web, 'src')), ...['index.html', 'vite.config.ts'].map((name) => statSync(join(web, name)).mtimeMs)]
  if (isNewer(join(web, 'dist', 'index.html'), sources)) return undefined
  return [node, join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', web, '--config', join(web, 'vite.config.ts')]
}

function isNewer(file, sources) {
  return existsSync(file) && statSync(file).mtimeMs > Math.max(...sources)
}

/** The modification time of the newest file in the folder. */
export function changedAt(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Math.max(...files.map((entry) => statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs))
}
