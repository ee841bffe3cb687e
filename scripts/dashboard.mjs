// Builds the dashboard when it is missing or older than its source. Any Node from 20 runs it.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The command that builds the dashboard; undefined: the built one is current. */
export function dashboardBuild(root, node) {
  const [web, page] = [join(root, 'web'), join(root, 'web', 'dist', 'index.html')]
  // A container image has the built dashboard without its source.
  if (!existsSync(join(web, 'src'))) return undefined
  const sources = [changedAt(join(web, 'src')), ...['index.html', 'vite.config.ts'].map((name) => statSync(join(web, name)).mtimeMs)]
  if (existsSync(page) && statSync(page).mtimeMs > Math.max(...sources)) return undefined
  return [node, join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', web, '--config', join(web, 'vite.config.ts')]
}

/** The modification time of the newest file in the folder. */
export function changedAt(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Math.max(...files.map((entry) => statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs))
}
