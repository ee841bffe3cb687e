// Where this node's bot hosts live, and a warning where they are less isolated than they could be.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Logger } from '../kit/log.ts'
import type { Config } from './config.ts'
import { openQuarters, type Quarters } from './fleet/host-quarters.ts'

const NONE: Quarters = {
  shared: null,
  take() {
    throw new Error('This node runs no bot hosts')
  },
  close: async () => undefined,
}

export async function openHostQuarters(config: Config, log: Logger): Promise<Quarters> {
  if (config.BOT_HOSTS === 0) return NONE
  const { modelsFolder, ownModel } = config.speech.native
  const chromium = config.CHROMIUM_PATH && dirname(resolve(config.CHROMIUM_PATH))
  const quarters = await openQuarters({
    dataFolder: config.DATA_DIR,
    recordings: join(config.DATA_DIR, 'recordings'),
    weights: modelsFolder,
    reads: [ownModel, chromium, config.zoom.sdkFolder].filter((it) => it !== undefined).filter((it) => existsSync(it)),
    secrets: [join(config.DATA_DIR, 'secret.key'), resolve('.env')],
    random: Math.random,
  })
  if (quarters.shared !== null)
    log.warn(`Bot hosts run as the user of the service and can read its files, because ${quarters.shared}. See docs/security.md.`)
  return quarters
}
