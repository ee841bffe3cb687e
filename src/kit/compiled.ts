// Node's compile cache for our code. A process that finds it starts in half the time and with 40 MB less: the type stripper is never
// loaded.
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

export const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/emissary', import.meta.url))

export const PROGRAMS_PATH = '/usr/local/bin:/usr/bin:/bin'

const inUse = getCompileCacheDir()

/** The environment of a process that gets no other one. It shares this process's compile cache. */
export const BARE_ENVIRONMENT = { PATH: PROGRAMS_PATH, NODE_COMPILE_CACHE: inUse ? dirname(inUse) : COMPILED } as const
