// Prepares users and folders for bot hosts, and warns if hosts cannot be isolated.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Logger } from '../kit/log.ts'
import type { Config } from './config.ts'
import { type HostSandboxes, openSandboxes } from './fleet/host-sandbox.ts'

const NONE: HostSandboxes = {
  shared: null,
  take() {
    throw new Error('This node runs no bot hosts')
  },
  close: async () => undefined,
}

export async function openHostSandboxes(config: Config, log: Logger): Promise<HostSandboxes> {
  if (config.BOT_HOSTS === 0) return NONE
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
    log.warn(`Bot hosts run as the user of the service and can read its files, because ${sandboxes.shared}. See docs/security.md.`)
  return sandboxes
}
