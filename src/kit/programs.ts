// Finds system programs on the PATH of workers, which do not inherit the service's PATH.
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { PROGRAMS_PATH } from './compiled.ts'

/** The path of the first of these programs that is installed. */
export function findProgram(...names: readonly string[]): string | undefined {
  const places = names.flatMap((name) => PROGRAMS_PATH.split(':').map((folder) => join(folder, name)))
  return places.find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
