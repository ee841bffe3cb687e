// The workspace's own keys of speech vendors.
import * as api from '../../api/sdk.gen.ts'
import type { SetSpeechProviderKeyData, SpeechVendor } from '../../api/types.gen.ts'
import { useChange, useNamedQuery } from '../../reload.ts'
import { ask } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Button, Form, SureButton } from '../../ui/form.tsx'
import { CardList, Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'

export function Speech() {
  const vendors = useNamedQuery(['speech'], () => ask(api.listSpeechProviders()))
  return (
    <Section
      title="Speech providers"
      lead="Recognition on this server (native) needs no key. Others work with the server’s key or your own."
    >
      <Await query={vendors}>
        {({ vendors: list }) => (
          <CardList>
            {list.map((vendor) => (
              <VendorRow key={vendor.vendor} vendor={vendor} />
            ))}
          </CardList>
        )}
      </Await>
    </Section>
  )
}

function VendorRow({ vendor }: { vendor: SpeechVendor }) {
  const { role } = useWorkspace()
  const path = { vendor: vendor.vendor }
  const change = useChange('speech')
  return (
    <li className="flex flex-col gap-3 px-5 py-4">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <span className="font-medium">{vendor.vendor}</span>
        <span className="text-soft text-sm">{vendor.key ? `key of the ${vendor.key}` : 'no key'}</span>
      </div>
      {role !== 'viewer' && (
        <Form<SetSpeechProviderKeyData['body']>
          className="flex flex-wrap gap-2"
          onSend={(body) => change.mutate(() => ask(api.setSpeechProviderKey({ path, body })))}
        >
          <input
            aria-label={`Key of ${vendor.vendor}`}
            name="api_key"
            type="password"
            autoComplete="off"
            required
            placeholder="Your key"
            className="field min-w-40 flex-1 py-1.5 text-sm"
          />
          <Button type="submit" label="Keep" />
          {vendor.key === 'workspace' && (
            <SureButton
              label="Forget"
              sure="Really forget?"
              onSure={() => change.mutate(() => ask(api.deleteSpeechProviderKey({ path })))}
            />
          )}
        </Form>
      )}
      <Problem error={change.error} />
    </li>
  )
}
