// Speech vendor keys of a workspace: its own key wins over the server's.
import type { WorkspaceId } from '../../domain/bot.ts'
import { type SpeechSettings, VENDORS, type Vendor } from '../../domain/speech-providers.ts'
import { listProviderKeys, setProviderKey } from '../db/accounts/provider-keys.ts'
import type { Db } from '../db/database.ts'
import { openOrNull, type Vault } from './secrets.ts'

type Deps = { readonly db: Db; readonly vault: Vault }

export function createProviderKeys({ db, vault }: Deps, server: SpeechSettings) {
  return {
    async vendorsOf(workspace: WorkspaceId): Promise<ReadonlySet<Vendor>> {
      const own = (await listProviderKeys(db, workspace)).map(({ vendor }) => vendor)
      return new Set(VENDORS.filter((vendor) => server.keys[vendor] !== undefined || own.includes(vendor)))
    },
    /** The server's settings with the workspace's key for this vendor. */
    async settingsFor(workspace: WorkspaceId, vendor: Vendor | null): Promise<SpeechSettings> {
      const own = vendor && (await listProviderKeys(db, workspace)).find((it) => it.vendor === vendor)
      if (!own) return server
      const { [own.vendor]: _, ...others } = server.keys
      // The server's key does not replace one that cannot be opened, because the workspace chose its own.
      const key = openOrNull(vault, ownerOf(workspace, own.vendor), own.secret)
      return { ...server, keys: { ...others, ...(key !== null && { [own.vendor]: key }) } }
    },
  }
}

export async function storeProviderKey(
  { db, vault }: Deps,
  workspace: WorkspaceId,
  { vendor, key, at }: { readonly vendor: Vendor; readonly key: string; readonly at: Date },
): Promise<void> {
  await setProviderKey(db, workspace, { vendor, secret: vault.seal(ownerOf(workspace, vendor), key), updatedAt: at })
}

const ownerOf = (workspace: WorkspaceId, vendor: Vendor): string => `${workspace}/${vendor}`
