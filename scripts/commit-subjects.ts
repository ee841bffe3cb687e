// Checks commit subjects: those since BASE in the gate, or that of a message file for the hook in scripts/hooks.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The last commit before the rule. */
const BASE = 'fb2a0652d2678688e0c9311dc572902677ab45d3'

const LONGEST = 72
const NO_VERBS =
  /^(a|an|the|this|what|who|whoever|nobody|somebody|how|when|where|it|one|two|each|every|all|no|of|only|other|another|after|wip|fixup)$/i
/** Third person, past or gerund, except verbs such as `pass`, `focus`, `feed`, `embed` and `bring`. */
const NO_IMPERATIVE = /[^su]s$|(?<!e|emb)ed$|(?<!^(br|r|p|str|sw))ing$/i

/** Says how to change the subject. Null: the subject is good. */
export function subjectProblem(subject: string): string | null {
  const [, rest] = /^[a-z][a-z0-9-]*: (.+)$/.exec(subject) ?? []
  if (rest === undefined) return 'write it as "area: imperative summary", with the area in small letters'
  if (subject.length > LONGEST) return `shorten it by ${subject.length - LONGEST} characters to ${LONGEST}`
  if (rest.endsWith('.')) return 'leave out the full stop'
  const [verb = ''] = rest.split(' ')
  if (NO_VERBS.test(verb) || NO_IMPERATIVE.test(verb))
    return `begin with a verb in the imperative instead of "${verb}", such as "add" or "hold"`
  return null
}

/** Null: git or the commit BASE is absent, as in a tarball or a shallow clone. */
function subjectsSinceBase(): readonly string[] | null {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    git('merge-base', '--is-ancestor', BASE, 'HEAD')
    return git('log', '--no-merges', '--format=%s', `${BASE}..HEAD`).split('\n').filter(Boolean)
  } catch {
    return null
  }
}

function main(messageFile: string | undefined): void {
  const subjects = messageFile ? [readFileSync(messageFile, 'utf8').split('\n')[0] ?? ''] : subjectsSinceBase()
  if (!subjects) console.log(`commits: not checked, the history since ${BASE.slice(0, 7)} is absent here`)
  // Git writes the subjects of merges and reverts itself.
  const own = subjects?.filter((subject) => !/^(Merge|Revert) /.test(subject)) ?? []
  for (const subject of own) {
    const problem = subjectProblem(subject)
    if (problem === null) continue
    console.error(`commit subject "${subject}": ${problem}`)
    process.exitCode = 1
  }
}

if (process.argv[1] === import.meta.filename) main(process.argv[2])
