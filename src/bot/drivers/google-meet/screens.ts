// Where the tab is: what was seen in the page goes in, the name of the screen comes out. Pure.
import type { ControlName } from './selectors.ts'
import { WORDS } from './words.ts'

/** Everything that was seen of the page at one moment. */
export type Facts = {
  readonly url: string
  /** What the page itself says, without what people say in it. */
  readonly words: string
  /** The same, made plain. */
  readonly text: string
  /** Controls that can be seen and pressed. */
  readonly visible: ReadonlySet<ControlName>
  /** Controls that are there, be it behind a toolbar that has hidden itself. */
  readonly present: ReadonlySet<ControlName>
  /** What stands in the field for the name. */
  readonly typed: string
  /** A puzzle that somebody would have to solve; Meet has an invisible one on every page, which means nothing. */
  readonly captcha: boolean
  readonly people: readonly SeenPerson[]
}

export type SeenPerson = { readonly id: string; readonly name: string; readonly isSelf: boolean }

type Worded = keyof typeof WORDS
export type Screen = Worded | 'captcha' | 'sign_in' | 'marketing' | 'inside' | 'prejoin' | 'blank' | 'unknown'

/** `door`: until the bot is let in. `call`: from then on, when people's words are on the page and nobody is asked anything any more. */
export type Stage = 'door' | 'call'

const LONGEST_EXCERPT = 200

type Rule = readonly [Screen, (facts: Facts) => boolean]

const says = (worded: Worded): Rule => [worded, ({ text }) => isSaid(worded, text)]

/** The first that holds. Explicit refusals come first: the lobby's words can stay behind one. */
const RULES: Readonly<Record<Stage, readonly Rule[]>> = {
  door: [
    // Offers to ask again, as a denial does.
    says('unanswered'),
    says('denied'),
    ['captcha', ({ captcha }) => captcha],
    ['sign_in', asksForAccount],
    ['marketing', ({ url }) => hostOf(url) === 'workspace.google.com'],
    ...(['signed_out', 'restricted', 'refused', 'invalid', 'not_found', 'removed', 'ended', 'problem', 'lost'] as const).map(says),
    says('not_started'),
    says('waiting'),
    // A tile beside the button to join is the bot's own preview.
    ['inside', (facts) => hasCallControls(facts) || (facts.people.length > 0 && !hasDoor(facts))],
    says('left'),
    ['prejoin', hasDoor],
    // The lobby, in a language nobody told us of.
    ['waiting', ({ visible }) => visible.has('leave')],
    ['blank', ({ text, present }) => text === '' && present.size === 0],
  ],
  call: [
    says('lost'),
    // While there is a call to control it is not over, whatever anybody calls himself or writes.
    ['inside', hasCallControls],
    ...(['removed', 'ended', 'left', 'denied', 'refused'] as const).map(says),
    ['sign_in', asksForAccount],
    ['marketing', ({ url }) => hostOf(url) === 'workspace.google.com'],
    ['inside', ({ people }) => people.length > 0],
    ['blank', ({ text, present }) => text === '' && present.size === 0],
  ],
}

export function screenOf(facts: Facts, stage: Stage): Screen {
  return RULES[stage].find(([, holds]) => holds(facts))?.[0] ?? 'unknown'
}

/** In lower case, with straight apostrophes and single spaces; lines stay lines. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[’‘ʼ]/g, "'")
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n[\s]*/g, '\n')
    .trim()
}

/** What of it a person would read first, for a message. */
export function excerpt({ words, url }: Facts): string {
  const line = words
    .trim()
    .replaceAll(/\s*\n\s*/g, ' / ')
    .slice(0, LONGEST_EXCERPT)
  return line === '' ? `an empty page at ${hostOf(url) || url}` : `“${line}”`
}

function isSaid(worded: Worded, text: string): boolean {
  const words: { readonly says: readonly string[]; readonly lines?: readonly string[] } = WORDS[worded]
  const lines = text.split('\n')
  return (
    words.says.some((sentence) => text.includes(sentence)) ||
    (words.lines ?? []).some((whole) => lines.some((line) => line.replace(/[.…! ]+$/, '') === whole))
  )
}

/** What is mounted in a call only; the button to leave is in the lobby, too. */
function hasCallControls({ present }: Facts): boolean {
  return (['chat', 'people', 'captionsAreOff', 'captionsAreOn'] as const).some((name) => present.has(name))
}

function hasDoor({ visible, present }: Facts): boolean {
  return visible.has('nameField') || visible.has('join') || (present.has('join') && visible.has('microphoneOn'))
}

function asksForAccount(facts: Facts): boolean {
  if (hostOf(facts.url) === 'accounts.google.com') return true
  return !hasDoor(facts) && facts.text.split('\n').includes('sign in') && facts.text.includes('your google account')
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? ''
}

/** What the page's own look gave, made sure of. Null: it gave nothing, as a page between two addresses does. */
export function factsOf(seen: unknown, url: string): Facts {
  const at = (name: string): unknown => Reflect.get(Object(seen), name)
  const names = (list: unknown) => new Set(listOf(list).map(String) as ControlName[])
  return {
    url,
    words: textOf(at('text')),
    text: plain(textOf(at('text'))),
    visible: names(at('visible')),
    present: names(at('present')),
    typed: textOf(at('typed')),
    captcha: at('captcha') === true,
    people: listOf(at('people')).map((it) => {
      const of = (name: string): unknown => Reflect.get(Object(it), name)
      return { id: textOf(of('id')), name: textOf(of('name')), isSelf: of('isSelf') === true }
    }),
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
