// Which speech vendors a workspace can name, and with whose key: its own before the server's.
import type { WorkspaceId } from '../../domain/bot.ts'
import { type SpeechSettings, VENDORS, type Vendor } from '../../domain/speech-providers.ts'
import type { Db } from '../db/database.ts'
import { listProviderKeys, setProviderKey } from '../db/provider-keys.ts'
import type { Vault } from './secrets.ts'

type Keeping = { readonly db: Db; readonly vault: Vault }

export type ProviderKeys = {
  vendorsOf(workspace: WorkspaceId): Promise<ReadonlySet<Vendor>>
  settingsOf(workspace: WorkspaceId): Promise<SpeechSettings>
}

export function createProviderKeys({ db, vault }: Keeping, server: SpeechSettings): ProviderKeys {
  return {
    async vendorsOf(workspace) {
      const own = (await listProviderKeys(db, workspace)).map(({ vendor }) => vendor)
      return new Set(VENDORS.filter((vendor) => server.keys[vendor] !== undefined || own.includes(vendor)))
    },
    async settingsOf(workspace) {
      const own = (await listProviderKeys(db, workspace)).map(({ vendor, secret }) => [
        vendor,
        vault.open(ownerOf(workspace, vendor), secret),
      ])
      return { ...server, keys: { ...server.keys, ...Object.fromEntries(own) } }
    },
  }
}

export async function keepProviderKey(
  { db, vault }: Keeping,
  workspace: WorkspaceId,
  { vendor, key, at }: { readonly vendor: Vendor; readonly key: string; readonly at: Date },
): Promise<void> {
  await setProviderKey(db, workspace, { vendor, secret: vault.seal(ownerOf(workspace, vendor), key), updatedAt: at })
}

const ownerOf = (workspace: WorkspaceId, vendor: Vendor): string => `${workspace}/${vendor}`
