// A titled part of a settings page, and what it shows: rows in a card, or numbers side by side.
import { Children, type ReactNode } from 'react'

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

/** `none` takes the place of an empty list. */
export function CardList({ none, children }: { none?: string; children?: ReactNode }) {
  if (none && Children.count(children) === 0) return <p className="text-soft card px-5 py-8 text-center">{none}</p>
  return <ul className="card divide-line divide-y">{children}</ul>
}

type CardRowProps = { readonly title: ReactNode; readonly detail: ReactNode; readonly isBad?: boolean; readonly children?: ReactNode }

/** A row of a list, with its controls as children. */
export function CardRow({ title, detail, isBad = false, children }: CardRowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3.5">
      <div className="min-w-40 flex-1">
        <p className="truncate font-medium">{title}</p>
        <p className={`${isBad ? 'text-bad' : 'text-soft'} text-[13px]`}>{detail}</p>
      </div>
      {children}
    </li>
  )
}

type Figure = readonly [label: string, value: string]

export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={`grid grid-cols-2 gap-4 ${figures.length > 3 ? 'sm:grid-cols-4' : 'sm:grid-cols-3'}`}>
      {figures.map(([label, value]) => (
        <div key={label} className="card px-4 py-3">
          <dt className="text-soft text-[13px]">{label}</dt>
          <dd className="text-xl font-semibold tracking-[-0.02em] tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
