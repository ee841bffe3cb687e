// The speech providers a workspace can name, and its own keys of their vendors: they go in and never come out.
import Type, { type Static } from 'typebox'
import { ServiceError } from '../../../domain/errors.ts'
import { isVendor, type ProviderName, SPEECH_PROVIDERS, VENDORS, type Vendor } from '../../../domain/speech-providers.ts'
import { keepProviderKey } from '../../accounts/provider-keys.ts'
import { deleteProviderKey, listProviderKeys } from '../../db/provider-keys.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { Moment, Nullable, problems } from '../schemas/common.ts'

const tags = ['Speech providers']
const params = Type.Object({ vendor: Type.String({ description: VENDORS.join(', ') }) })

export const VendorAnswer = Type.Object({
  vendor: Type.String(),
  providers: Type.Array(Type.String(), { description: 'What create_bot and transcribe call it.' }),
  key: Nullable(
    Type.Enum(['workspace', 'server'], { description: 'Whose key is used; null: there is none, and its providers answer 400.' }),
  ),
  updated_at: Nullable(Moment),
})

export const NewKey = Type.Object({
  api_key: Type.String({
    minLength: 1,
    maxLength: 1_000,
    pattern: '^[\\x21-\\x7e]+$',
    writeOnly: true,
    description: 'As the vendor gave it.',
  }),
})

export function speechProviderRoutes(app: Api, deps: ApiDeps): void {
  const { db, now } = deps
  const listing = {
    summary: 'List the speech vendors and whose key each has',
    operationId: 'listSpeechProviders',
    tags,
    response: { 200: Type.Object({ vendors: Type.Array(VendorAnswer) }), ...problems() },
  }
  app.get('/speech_providers', { schema: listing }, async (request) => {
    const own = await listProviderKeys(db, callerOf(request).workspaceId)
    return { vendors: VENDORS.map((vendor) => present(deps, vendor, own.find((it) => it.vendor === vendor)?.updatedAt)) }
  })

  const setting = {
    summary: 'Give the workspace its own key of a speech vendor',
    description: 'Used from now on instead of the server’s, also for bots that exist already. It cannot be read again.',
    operationId: 'setSpeechProviderKey',
    tags,
    params,
    body: NewKey,
    response: { 200: VendorAnswer, ...problems('invalid', 'vendor_not_found') },
  }
  app.put('/speech_providers/:vendor', { schema: setting }, async (request) => {
    const [vendor, at] = [vendorIn(request.params.vendor), now()]
    await keepProviderKey(deps, callerOf(request).workspaceId, { vendor, key: request.body.api_key, at })
    return present(deps, vendor, at)
  })

  const removing = {
    summary: 'Forget the workspace’s own key of a speech vendor',
    operationId: 'deleteSpeechProviderKey',
    tags,
    params,
    response: { 200: VendorAnswer, ...problems('vendor_not_found') },
  }
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
