// The request beside the form, as code.
import { useState } from 'react'
import { CopyButton } from '../../ui/form.tsx'
import type { Body } from './draft.ts'
import { snippetsOf } from './snippet-code.ts'

export function Snippets({ body }: { body: Body }) {
  const snippets = snippetsOf(location.origin, body)
  const [shown, setShown] = useState(0)
  const snippet = snippets[shown]
  return (
    <aside aria-label="The same as code" className="flex min-w-0 flex-col gap-3 lg:sticky lg:top-12 lg:self-start">
      <h2>The same as code</h2>
      <div role="tablist" className="flex gap-1">
        {snippets.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={index === shown}
            className={`rounded-md px-2.5 py-1 text-sm ${index === shown ? 'bg-accent-wash text-accent font-medium' : 'text-soft'}`}
            onClick={() => setShown(index)}
          >
            {name}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, also for the keyboard. */}
      <pre className="bg-sunk border-line overflow-x-auto rounded-xl border p-4 font-mono text-[12.5px] leading-relaxed" tabIndex={0}>
        {snippet?.code}
      </pre>
      <div className="flex flex-wrap items-center gap-4">
        <CopyButton text={snippet?.code ?? ''} />
        <a className="link text-sm" href="/docs">
          API reference
        </a>
      </div>
    </aside>
  )
}
