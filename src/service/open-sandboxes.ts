// Prepares browsers, users and folders for workers, and warns if workers cannot be isolated.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Logger } from '../kit/log.ts'
import type { Config } from './config.ts'
import type { WorkerProcessOptions } from './fleet/workers/worker-process.ts'
import { openSandboxes, type WorkerSandboxes } from './fleet/workers/worker-sandbox.ts'

const NONE: WorkerSandboxes = {
  shared: null,
  take() {
    throw new Error('This node runs no workers')
  },
  close: async () => undefined,
}

export function browserIn({ BROWSER_MODE: browserMode, CHROMIUM_PATH, CHROMIUM_FLAGS: chromiumFlags }: Config): WorkerProcessOptions {
  return { browserMode, chromium: CHROMIUM_PATH && resolve(CHROMIUM_PATH), chromiumFlags }
}

export async function openWorkerSandboxes(config: Config, log: Logger): Promise<WorkerSandboxes> {
  if (config.BOT_WORKERS === 0) return NONE
  const { modelsFolder, ownModel } = config.speech.native
  const chromium = config.CHROMIUM_PATH && dirname(resolve(config.CHROMIUM_PATH))
  const sandboxes = await openSandboxes({
    dataFolder: config.DATA_DIR,
    recordings: join(config.DATA_DIR, 'recordings'),
    weights: modelsFolder,
    reads: [ownModel, chromium, config.zoom.sdkFolder].filter((it) => it !== undefined).filter((it) => existsSync(it)),
    secrets: [join(config.DATA_DIR, 'secret.key'), resolve('.env')],
    random: Math.random,
  })
  if (sandboxes.shared !== null)
    log.warn(`Workers run as the user of the service and can read its files, because ${sandboxes.shared}. See docs/security.md.`)
  return sandboxes
}
