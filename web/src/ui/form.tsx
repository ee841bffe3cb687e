// Form controls with their labels, hints and errors.
import { type ComponentProps, type ReactNode, useId, useState } from 'react'

type Around = { readonly label: string; readonly hint?: ReactNode; readonly problem?: string | null }

export function Field({ label, hint, problem, ...input }: Around & ComponentProps<'input'>) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        className="field"
        aria-describedby={hint || problem ? `${id}-hint` : undefined}
        aria-invalid={Boolean(problem)}
        {...input}
      />
      <Hint id={`${id}-hint`} hint={hint} problem={problem} />
    </div>
  )
}

export function Area({ label, hint, problem, ...area }: Around & ComponentProps<'textarea'>) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <textarea id={id} className="field min-h-20 font-mono text-[13px]" aria-invalid={Boolean(problem)} {...area} />
      <Hint id={`${id}-hint`} hint={hint} problem={problem} />
    </div>
  )
}

export function Choice({ label, hint, children, ...select }: Around & ComponentProps<'select'>) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <select id={id} className="field" {...select}>
        {children}
      </select>
      <Hint id={`${id}-hint`} hint={hint} />
    </div>
  )
}

export function Switch({ label, hint, ...input }: Around & ComponentProps<'input'>) {
  const id = useId()
  return (
    <label htmlFor={id} className="flex cursor-pointer items-start gap-3">
      <input id={id} type="checkbox" className="peer sr-only" {...input} />
      <span
        aria-hidden="true"
        className="bg-edge/50 peer-checked:bg-accent peer-focus-visible:outline-accent relative mt-0.5 h-5 w-9 shrink-0 rounded-full transition-colors peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 after:absolute after:top-0.5 after:left-0.5 after:size-4 after:rounded-full after:bg-white after:transition-transform peer-checked:after:translate-x-4"
      />
      <span>
        <span className="block text-sm font-medium">{label}</span>
        {hint && <span className="text-soft block text-[13px]">{hint}</span>}
      </span>
    </label>
  )
}

type OptionsOf<Value extends string> = {
  readonly legend: string
  readonly options: readonly Value[]
  readonly labels: Readonly<Record<Value, string>>
  readonly chosen: Value
  readonly onChoose: (value: Value) => void
}

/** Buttons of which one is pressed. */
export function Options<Value extends string>({ legend, options, labels, chosen, onChoose }: OptionsOf<Value>) {
  return (
    <fieldset className="flex items-center gap-1">
      <legend className="sr-only">{legend}</legend>
      {options.map((it) => (
        <button
          key={it}
          type="button"
          aria-pressed={it === chosen}
          className={`rounded-md px-2.5 py-1 text-sm ${it === chosen ? 'bg-accent-wash text-accent font-medium' : 'text-soft'}`}
          onClick={() => onChoose(it)}
        >
          {labels[it]}
        </button>
      ))}
    </fieldset>
  )
}

function Hint({ id, hint, problem }: { id: string; hint?: ReactNode; problem?: string | null }) {
  if (problem)
    return (
      <p id={id} role="alert" className="text-bad text-[13px]">
        {problem}
      </p>
    )
  return hint ? (
    <p id={id} className="text-soft text-[13px]">
      {hint}
    </p>
  ) : null
}

/** Asks for confirmation before a deletion. */
export function SureButton({
  label,
  sure,
  onSure,
  className = '',
}: {
  label: string
  sure: string
  onSure: () => void
  className?: string
}) {
  const [asking, setAsking] = useState(false)
  return (
    <button
      type="button"
      className={`button button-bad ${className}`}
      onClick={() => (asking ? onSure() : setAsking(true))}
      onBlur={() => setAsking(false)}
    >
      {asking ? sure : label}
    </button>
  )
}

export function CopyButton({ text, className = '' }: { text: string; className?: string }) {
  const [copied, setCopied] = useState('')
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(text)
  }
  return (
    <button type="button" className={`button ${className}`} disabled={text === ''} onClick={() => void copy()}>
      {copied === text && text !== '' ? 'Copied' : 'Copy'}
    </button>
  )
}

/** A line with a copy button, such as a secret that is shown once. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  return (
    <div className="border-line bg-sunk flex items-center gap-2 rounded-lg border py-1.5 pr-1.5 pl-3">
      <span className="sr-only">{label}: </span>
      <code className="min-w-0 flex-1 font-mono text-[13px] break-all select-all">{text}</code>
      <CopyButton text={text} className="px-2.5 py-1" />
    </div>
  )
}
