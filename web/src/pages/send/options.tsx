// Every option of create_bot as a field, in collapsed groups.
import { LIVE_PROVIDERS, PROVIDERS } from '../../api/constants.gen.ts'
import { Area, Choice, Field, Values } from '../../ui/form.tsx'
import { type Made, PROVIDER_OPTIONS } from './draft.ts'
import type { FieldRow, Group } from './fields.ts'

/** The value of a field, by its path, and what changes it. */
export type Bind = (path: string) => { readonly value: string; readonly onChange: (event: { target: { value: string } }) => void }

type OptionsProps = { readonly groups: readonly Group[]; readonly problems: Made['problems']; readonly bind: Bind }

export function Options({ groups, problems, bind }: OptionsProps) {
  return (
    <div className="card divide-line divide-y">
      {groups.map(({ title, fields }) => {
        const count = fields.filter(({ path }) => bind(path).value).length
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
                <Option key={field.path} field={field} problem={problems[field.path]} bind={bind} />
              ))}
            </div>
          </details>
        )
      })}
    </div>
  )
}

type OptionProps = { readonly field: FieldRow; readonly problem: string | undefined; readonly bind: Bind }

const LABELS = { yes: 'Yes', no: 'No', grid_view: 'Grid of all participants', speaker_view: 'Current speaker' }

function Option({ field, problem, bind }: OptionProps) {
  const { path, kind, label, hint, maxLength } = field
  const common = { label, hint, ...bind(path) }
  if (kind === 'provider') return <Provider field={field} problem={problem} bind={bind} />
  if (kind === 'yes or no' || kind === 'choice')
    return (
      <Choice {...common}>
        <option value="">Default</option>
        <Values of={field.choices ?? ['yes', 'no']} labels={LABELS} />
      </Choice>
    )
  if (kind === 'json' || kind === 'long text')
    return (
      <div className="sm:col-span-2">
        <Area {...common} problem={problem} maxLength={maxLength} />
      </div>
    )
  const type = kind === 'number' ? 'number' : path.endsWith('url') ? 'url' : 'text'
  return <Field {...common} type={type} maxLength={maxLength} placeholder={placeholderOf(field)} />
}

function placeholderOf({ path, kind }: FieldRow): string | undefined {
  if (kind === 'list') return 'notetaker, recorder'
  if (kind === 'attributes') return 'team:sales week:46'
  if (path.endsWith('url')) return path.includes('socket') ? 'wss://' : 'https://'
  return undefined
}

function Provider({ field: { path, label }, problem, bind }: OptionProps) {
  return (
    <>
      <Choice label={label} hint="Live providers transcribe during the call." {...bind(path)}>
        <option value="">This server, after the call</option>
        <optgroup label="After the call">
          <Values of={PROVIDERS} />
        </optgroup>
        <optgroup label="During the call">
          <Values of={LIVE_PROVIDERS} />
        </optgroup>
      </Choice>
      <Area
        label="Options of the provider, as JSON"
        placeholder='{ "language": "en" }'
        disabled={bind(path).value === ''}
        problem={problem}
        {...bind(PROVIDER_OPTIONS)}
      />
    </>
  )
}
