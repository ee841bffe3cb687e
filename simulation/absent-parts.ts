// Parts of a node that no simulated bot needs.
import type { BotId } from '../src/domain/bot.ts'
import { Uploads } from '../src/service/fleet/bot/upload.ts'
import type { WorkerLaunch } from '../src/service/fleet/workers/worker-process.ts'
import type { WorkerSandboxes } from '../src/service/fleet/workers/worker-sandbox.ts'
import type { ObjectStore } from '../src/storage/store.ts'

/** Simulated workers are not forked. */
export const NO_LAUNCH: WorkerLaunch = { path: '', args: [], options: {} }

export const FREE = { enforced: false, pricePerHour: 0.36, currency: 'USD' }

/** Parts that no simulated bot needs: a use of one is an error. */
export const UNUSED = null as unknown as ObjectStore & { open(): never; seal(): never }

/** Recordings are not simulated. */
export class NoUploads extends Uploads {
  constructor() {
    super({ store: UNUSED, recordings: '', allReadBundles: async () => true })
  }

  override async recordedBots(): Promise<readonly BotId[]> {
    return []
  }

  override async upload(): Promise<void> {}

  override async finish(): Promise<void> {}
}

export const SANDBOXES: WorkerSandboxes = {
  shared: null,
  take: () => ({
    environment: {},
    launcher: (command, args) => ({ command, args: [...args], identity: {} }),
    changeOwner: () => undefined,
    leave: async () => undefined,
  }),
  close: async () => undefined,
}
