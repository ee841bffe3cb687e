// Speech vendors and the workspace's own keys for them. Keys are write-only.
import Type, { type Static } from 'typebox'
import { ServiceError } from '../../../domain/errors.ts'
import { isVendor, type ProviderName, SPEECH_PROVIDERS, VENDORS, type Vendor } from '../../../domain/speech-providers.ts'
import { storeProviderKey } from '../../accounts/provider-keys.ts'
import { deleteProviderKey, listProviderKeys } from '../../db/accounts/provider-keys.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { operationsOf, problems } from '../schema.ts'
import { NewKey, params, VendorAnswer } from './schema.ts'

const operation = operationsOf('Speech providers')
export function speechProviderRoutes(app: Api, deps: ApiDeps): void {
  const { db, now } = deps
  const listing = operation('listSpeechProviders', 'List the speech vendors and which key is used', {
    response: { 200: Type.Object({ vendors: Type.Array(VendorAnswer) }), ...problems() },
  })
  app.get('/speech_providers', { schema: listing }, async (request) => {
    const own = await listProviderKeys(db, callerOf(request).workspaceId)
    return { vendors: VENDORS.map((vendor) => present(deps, vendor, own.find((it) => it.vendor === vendor)?.updatedAt)) }
  })

  const setting = operation('setSpeechProviderKey', 'Set the workspace’s own key for a speech vendor', {
    description: 'Replaces the server’s key from now on, also for existing bots. The key is write-only.',
    params,
    body: NewKey,
    response: { 200: VendorAnswer, ...problems('vendor_not_found') },
  })
  app.put('/speech_providers/:vendor', { schema: setting }, async (request) => {
    const [vendor, at] = [vendorIn(request.params.vendor), now()]
    await storeProviderKey(deps, callerOf(request).workspaceId, { vendor, key: request.body.api_key, at })
    return present(deps, vendor, at)
  })

  const removing = operation('deleteSpeechProviderKey', 'Delete the workspace’s own key for a speech vendor', {
    params,
    response: { 200: VendorAnswer, ...problems('vendor_not_found') },
  })
  app.delete('/speech_providers/:vendor', { schema: removing }, async (request) => {
    const vendor = vendorIn(request.params.vendor)
    await deleteProviderKey(db, callerOf(request).workspaceId, vendor)
    return present(deps, vendor, undefined)
  })
}

function vendorIn(name: string): Vendor {
  if (!isVendor(name)) throw new ServiceError('vendor_not_found')
  return name
}

function present({ config }: ApiDeps, vendor: Vendor, ownSince: Date | undefined): Static<typeof VendorAnswer> {
  const names = Object.keys(SPEECH_PROVIDERS) as ProviderName[]
  return {
    vendor,
    providers: names.filter((name) => SPEECH_PROVIDERS[name].vendor === vendor),
    key: ownSince ? 'workspace' : config.configuredVendors.has(vendor) ? 'server' : null,
    updated_at: ownSince?.toISOString() ?? null,
  }
}
