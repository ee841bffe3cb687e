// Every option of create_bot as a field, in collapsed groups.
import { Area, Choice, Field } from '../../ui/form.tsx'
import { LIVE_PROVIDERS, PROVIDERS } from '../../ui/providers.ts'
import { type Draft, PROVIDER_OPTIONS } from './draft.ts'
import type { FieldRow, Group } from './fields.ts'

type OptionsProps = {
  readonly groups: readonly Group[]
  readonly draft: Draft
  readonly problems: Readonly<Record<string, string>>
  readonly set: (path: string, text: string) => void
}

export function Options({ groups, draft, problems, set }: OptionsProps) {
  return (
    <div className="card divide-line divide-y">
      {groups.map(({ title, fields }) => {
        const count = fields.filter(({ path }) => draft[path]).length
        return (
          <details key={title} className="group px-5">
            <summary className="flex items-center justify-between gap-3 py-3.5 font-medium">
              <span className="flex items-center gap-2.5">
                <span aria-hidden="true" className="text-soft transition-transform group-open:rotate-90">
                  ›
                </span>
                {title}
              </span>
              {count > 0 && <span className="text-accent text-[13px] font-normal">{count} set</span>}
            </summary>
            <div className="grid items-start gap-x-5 gap-y-5 pt-1 pb-6 sm:grid-cols-2">
              {fields.map((field) => (
                <Option key={field.path} field={field} draft={draft} problem={problems[field.path]} set={set} />
              ))}
            </div>
          </details>
        )
      })}
    </div>
  )
}

type OptionProps = Pick<OptionsProps, 'draft' | 'set'> & { readonly field: FieldRow; readonly problem: string | undefined }

const LABELS: Readonly<Record<string, string>> = { grid_view: 'Grid of all participants', speaker_view: 'Current speaker' }

function Option({ field, draft, problem, set }: OptionProps) {
  const { path, kind, label, hint, maxLength } = field
  const common = { label, hint, value: draft[path] ?? '' }
  const onChange = ({ target }: { target: { value: string } }) => set(path, target.value)
  if (kind === 'provider') return <Provider {...{ field, draft, problem, set }} />
  if (kind === 'yes or no' || kind === 'choice')
    return (
      <Choice {...common} onChange={onChange}>
        <option value="">Default</option>
        {(field.choices ?? ['yes', 'no']).map((it) => (
          <option key={it} value={it}>
            {LABELS[it] ?? it.charAt(0).toUpperCase() + it.slice(1)}
          </option>
        ))}
      </Choice>
    )
  if (kind === 'json' || kind === 'long text')
    return (
      <div className="sm:col-span-2">
        <Area {...common} problem={problem} maxLength={maxLength} onChange={onChange} />
      </div>
    )
  const type = kind === 'number' ? 'number' : path.endsWith('url') ? 'url' : 'text'
  return <Field {...common} type={type} maxLength={maxLength} placeholder={placeholderOf(field)} onChange={onChange} />
}

function placeholderOf({ path, kind }: FieldRow): string | undefined {
  if (kind === 'list') return 'notetaker, recorder'
  if (kind === 'attributes') return 'team:sales week:46'
  if (path.endsWith('url')) return path.includes('socket') ? 'wss://' : 'https://'
  return undefined
}

function Provider({ field: { path, label }, draft, problem, set }: OptionProps) {
  const chosen = draft[path] ?? ''
  return (
    <>
      <Choice
        label={label}
        hint="Live providers transcribe during the call."
        value={chosen}
        onChange={({ target }) => set(path, target.value)}
      >
        <option value="">This server, after the call</option>
        <optgroup label="After the call">
          {PROVIDERS.map((it) => (
            <option key={it}>{it}</option>
          ))}
        </optgroup>
        <optgroup label="During the call">
          {LIVE_PROVIDERS.map((it) => (
            <option key={it}>{it}</option>
          ))}
        </optgroup>
      </Choice>
      <Area
        label="Options of the provider, as JSON"
        placeholder='{ "language": "en" }'
        disabled={chosen === ''}
        problem={problem}
        value={draft[PROVIDER_OPTIONS] ?? ''}
        onChange={({ target }) => set(PROVIDER_OPTIONS, target.value)}
      />
    </>
  )
}
