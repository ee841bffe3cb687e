// A titled part of a settings page.
import type { ReactNode } from 'react'

export function Section({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  return (
    <section className="mb-12 grid gap-x-10 gap-y-4 lg:grid-cols-[16rem_minmax(0,1fr)]">
      <div>
        <h2>{title}</h2>
        {lead && <p className="text-soft mt-1 text-sm">{lead}</p>}
      </div>
      <div className="flex min-w-0 flex-col gap-4">{children}</div>
    </section>
  )
}
