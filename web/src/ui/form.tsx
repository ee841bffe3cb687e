// Form controls with their labels, hints and errors.
import { type ComponentProps, type FormEvent, type ReactNode, useId, useState } from 'react'

/** The values of a form by the names of its fields. */
export type Typed = Readonly<Record<string, string>>

type FormProps<Values> = { readonly className?: string; readonly onSend: (typed: Values) => void; readonly children: ReactNode }

/** Sends the values of its fields by their names. The names are those of the request, if `Values` is its body. */
export function Form<Values extends object = Typed>({ className, onSend, children }: FormProps<Values>) {
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSend(Object.fromEntries([...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)])) as Values)
  }
  return (
    <form className={className ?? 'flex flex-col gap-4'} onSubmit={onSubmit}>
      {children}
    </form>
  )
}

type Around = { readonly label: string; readonly hint?: ReactNode; readonly problem?: string | null }

type Linked = { readonly id: string; readonly 'aria-describedby': string | undefined }

/** A control below its label and above its hint or its problem. The attributes that its function gets link it with them. */
function Labelled({ label, hint, problem, children }: Around & { children: (linked: Linked) => ReactNode }) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': hint || problem ? `${id}-hint` : undefined })}
      {(problem || hint) && (
        <p id={`${id}-hint`} role={problem ? 'alert' : undefined} className={`${problem ? 'text-bad' : 'text-soft'} text-[13px]`}>
          {problem || hint}
        </p>
      )}
    </div>
  )
}

export function Field({ label, hint, problem, ...input }: Around & ComponentProps<'input'>) {
  return (
    <Labelled label={label} hint={hint} problem={problem}>
      {(linked) => <input {...linked} className="field" aria-invalid={Boolean(problem)} {...input} />}
    </Labelled>
  )
}

export function Area({ label, hint, problem, ...area }: Around & ComponentProps<'textarea'>) {
  return (
    <Labelled label={label} hint={hint} problem={problem}>
      {(linked) => <textarea {...linked} className="field min-h-20 font-mono text-[13px]" aria-invalid={Boolean(problem)} {...area} />}
    </Labelled>
  )
}

export function Choice({ label, hint, ...select }: Around & ComponentProps<'select'>) {
  return (
    <Labelled label={label} hint={hint}>
      {(linked) => <select {...linked} className="field" {...select} />}
    </Labelled>
  )
}

/** The options of a select. A value without a label is shown itself. */
export function Values({ of, labels = {} }: { of: readonly string[]; labels?: Readonly<Record<string, string>> }) {
  return of.map((value) => (
    <option key={value} value={value}>
      {labels[value] ?? value}
    </option>
  ))
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

export function Toggle({ label, isOn, onClick }: { label: string; isOn: boolean; onClick: () => void }) {
  const look = isOn ? 'bg-accent-wash text-accent font-medium' : 'text-soft'
  return (
    <button type="button" aria-pressed={isOn} className={`rounded-md px-2.5 py-1 text-sm ${look}`} onClick={onClick}>
      {label}
    </button>
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
        <Toggle key={it} label={labels[it]} isOn={it === chosen} onClick={() => onChoose(it)} />
      ))}
    </fieldset>
  )
}

export function Button({ label, className = '', ...button }: { label: string } & ComponentProps<'button'>) {
  return (
    <button type="button" className={`button ${className}`} {...button}>
      {label}
    </button>
  )
}

/** Asks for confirmation before a deletion. */
export function SureButton({ label, sure, onSure }: { label: string; sure: string; onSure: () => void }) {
  const [asking, setAsking] = useState(false)
  const onClick = () => (asking ? onSure() : setAsking(true))
  return <Button label={asking ? sure : label} className="button-bad" onClick={onClick} onBlur={() => setAsking(false)} />
}

export function CopyButton({ text, className = '' }: { text: string; className?: string }) {
  const [copied, setCopied] = useState('')
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(text)
  }
  const label = copied === text && text !== '' ? 'Copied' : 'Copy'
  return <Button label={label} className={className} disabled={text === ''} onClick={() => void copy()} />
}

/** A secret right after it was made. */
export function ShownOnce({ lead, text, label }: { lead: string; text: string; label: string }) {
  return (
    <div role="status" className="flex flex-col gap-2">
      <p className="text-sm font-medium">{lead}</p>
      <CopyLine text={text} label={label} />
    </div>
  )
}

/** A line with a copy button. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  return (
    <div className="border-line bg-sunk flex items-center gap-2 rounded-lg border py-1.5 pr-1.5 pl-3">
      <span className="sr-only">{label}: </span>
      <code className="min-w-0 flex-1 font-mono text-[13px] break-all select-all">{text}</code>
      <CopyButton text={text} className="px-2.5 py-1" />
    </div>
  )
}
