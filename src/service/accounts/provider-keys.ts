// Which speech vendors a workspace can name, and with whose key: its own before the server's.
import type { WorkspaceId } from '../../domain/bot.ts'
import { type SpeechSettings, VENDORS, type Vendor } from '../../domain/speech-providers.ts'
import type { Db } from '../db/database.ts'
import { listProviderKeys, setProviderKey } from '../db/provider-keys.ts'
import type { Vault } from './secrets.ts'

type Keeping = { readonly db: Db; readonly vault: Vault }

export type ProviderKeys = {
  vendorsOf(workspace: WorkspaceId): Promise<ReadonlySet<Vendor>>
  /** With the key of this vendor as the workspace has it. */
  settingsFor(workspace: WorkspaceId, vendor: Vendor | null): Promise<SpeechSettings>
}

export function createProviderKeys({ db, vault }: Keeping, server: SpeechSettings): ProviderKeys {
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

export async function keepProviderKey(
  { db, vault }: Keeping,
  workspace: WorkspaceId,
  { vendor, key, at }: { readonly vendor: Vendor; readonly key: string; readonly at: Date },
): Promise<void> {
  await setProviderKey(db, workspace, { vendor, secret: vault.seal(ownerOf(workspace, vendor), key), updatedAt: at })
}

/** Null where it was sealed under another SECRET_KEY: that is no key, and the server's is not the one the workspace wants. */
function opened(vault: Vault, owner: string, sealed: Buffer): string | null {
  try {
    return vault.open(owner, sealed)
  } catch {
    return null
  }
}

const ownerOf = (workspace: WorkspaceId, vendor: Vendor): string => `${workspace}/${vendor}`
