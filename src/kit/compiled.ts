// Where our code is kept as Node compiles it. Whoever finds it there starts with half the work, and 40 MB smaller: what strips types is never
// loaded.
import { fileURLToPath } from 'node:url'

export const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/emissary', import.meta.url))

/** For a process that is started without any other environment. */
export const BARE_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', NODE_COMPILE_CACHE: COMPILED } as const
