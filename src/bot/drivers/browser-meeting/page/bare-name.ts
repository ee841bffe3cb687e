// Removes badges and states that a page shows behind a name: `Ann LeeExternal, muted`.
import type { PeopleRules } from '../page-rules.ts'

const BETWEEN = /[\s,()]+$/

export function bareName(label: string, { besides = [] }: Pick<PeopleRules, 'besides'>): string {
  if (besides.length === 0) return label
  let name = label
  for (let badge: string | undefined = ''; badge !== undefined; ) {
    const shown = name.replace(BETWEEN, '')
    badge = besides.find((it) => shown.endsWith(it) && shown !== it)
    name = badge === undefined ? name : shown.slice(0, -badge.length)
  }
  return name === label ? label : name.replace(BETWEEN, '')
}
