// The workspace's own keys of speech vendors.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { deleteSpeechProviderKey, listSpeechProviders, setSpeechProviderKey } from '../../api/sdk.gen.ts'
import type { ListSpeechProvidersResponse } from '../../api/types.gen.ts'
import { reload } from '../../reload.ts'
import { ask } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { SureButton } from '../../ui/form.tsx'
import { Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { typedIn } from '../sign-in.tsx'

type Vendor = ListSpeechProvidersResponse['vendors'][number]

export function Speech() {
  const { workspace_id } = useWorkspace()
  const vendors = useQuery({ queryKey: [workspace_id, 'speech'], queryFn: () => ask(listSpeechProviders()) })
  return (
    <Section
      title="Speech providers"
      lead="Recognition on this server (native) needs no key. Others work with the server’s key or your own."
    >
      <Await query={vendors}>
        {({ vendors: list }) => (
          <ul className="card divide-line divide-y">
            {list.map((vendor) => (
              <VendorRow key={vendor.vendor} vendor={vendor} />
            ))}
          </ul>
        )}
      </Await>
    </Section>
  )
}

function VendorRow({ vendor }: { vendor: Vendor }) {
  const { workspace_id, role } = useWorkspace()
  const queries = useQueryClient()
  const path = { vendor: vendor.vendor }
  const change = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onSuccess: () => reload(queries, [workspace_id, 'speech']),
  })
  return (
    <li className="flex flex-col gap-3 px-5 py-4">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <span className="font-medium">{vendor.vendor}</span>
        <span className="text-soft text-sm">{vendor.key ? `key of the ${vendor.key}` : 'no key'}</span>
      </div>
      {role !== 'viewer' && (
        <form
          className="flex flex-wrap gap-2"
          onSubmit={(event) => {
            const { key: api_key = '' } = typedIn(event)
            change.mutate(() => ask(setSpeechProviderKey({ path, body: { api_key } })))
          }}
        >
          <input
            aria-label={`Key of ${vendor.vendor}`}
            name="key"
            type="password"
            autoComplete="off"
            required
            placeholder="Your key"
            className="field min-w-40 flex-1 py-1.5 text-sm"
          />
          <button type="submit" className="button">
            Keep
          </button>
          {vendor.key === 'workspace' && (
            <SureButton label="Forget" sure="Really forget?" onSure={() => change.mutate(() => ask(deleteSpeechProviderKey({ path })))} />
          )}
        </form>
      )}
      <Problem error={change.error} />
    </li>
  )
}
