// A few numbers side by side.
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
