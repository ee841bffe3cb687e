// Speech vendor keys of a workspace: its own key wins over the server's.
import type { WorkspaceId } from '../../domain/bot.ts'
import { type SpeechSettings, VENDORS, type Vendor } from '../../domain/speech-providers.ts'
import type { Db } from '../db/database.ts'
import { listProviderKeys, setProviderKey } from '../db/provider-keys.ts'
import type { Vault } from './secrets.ts'

type Deps = { readonly db: Db; readonly vault: Vault }

export type ProviderKeys = {
  vendorsOf(workspace: WorkspaceId): Promise<ReadonlySet<Vendor>>
  /** The server's settings with the workspace's key for this vendor. */
  settingsFor(workspace: WorkspaceId, vendor: Vendor | null): Promise<SpeechSettings>
}

export function createProviderKeys({ db, vault }: Deps, server: SpeechSettings): ProviderKeys {
  return {
    async vendorsOf(workspace) {
      const own = (await listProviderKeys(db, workspace)).map(({ vendor }) => vendor)
      return new Set(VENDORS.filter((vendor) => server.keys[vendor] !== undefined || own.includes(vendor)))
    },
    async settingsFor(workspace, vendor) {
      const own = vendor && (await listProviderKeys(db, workspace)).find((it) => it.vendor === vendor)
      if (!own) return server
      const { [own.vendor]: _, ...others } = server.keys
      const key = opened(vault, ownerOf(workspace, own.vendor), own.secret)
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

/** Null if it was sealed with another SECRET_KEY. The server's key is not used instead, because the workspace chose its own. */
function opened(vault: Vault, owner: string, sealed: Buffer): string | null {
  try {
    return vault.open(owner, sealed)
  } catch {
    return null
  }
}

const ownerOf = (workspace: WorkspaceId, vendor: Vendor): string => `${workspace}/${vendor}`
