// Where our code is kept as Node compiles it. Whoever finds it there starts with half the work, and 40 MB smaller: what strips types is never
// loaded.
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

export const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/emissary', import.meta.url))

export const PROGRAMS_PATH = '/usr/local/bin:/usr/bin:/bin'

const inUse = getCompileCacheDir()

/** For a process that is started without any other environment. It uses the same compiled code as this one. */
export const BARE_ENVIRONMENT = { PATH: PROGRAMS_PATH, NODE_COMPILE_CACHE: inUse ? dirname(inUse) : COMPILED } as const
