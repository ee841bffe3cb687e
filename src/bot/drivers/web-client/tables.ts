// What a platform's web client looks like, as data: how its controls are found, what its pages say, and what each screen means for a bot.
import type { ErrorReason } from '../../../domain/errors.ts'

/** All of what a signal says must hold. Words are compared without case, and with straight apostrophes. */
export type Signal = {
  /** Without one: anything that can be pressed. */
  readonly css?: string
  /** Its label begins with one of these, or it holds exactly one of them as text. */
  readonly says?: readonly string[]
  /** It shows this icon, where icons are words set in a font of pictures. */
  readonly icon?: string
  /** It stands in a dialog that says one of these. */
  readonly about?: readonly string[]
}

/** The controls that the kit itself presses. A platform names more of them: notices, and the way to its settings. */
type KitControl =
  | ('nameField' | 'join' | 'leave' | 'justLeave' | 'chat' | 'composer')
  | ('microphoneOn' | 'microphoneOff' | 'cameraOn' | 'cameraOff' | 'captionsAreOn' | 'captionsAreOff')
export type ControlName = KitControl | (string & Record<never, never>)

/** `says`: a sentence that stands somewhere on the page. `lines`: words so common that they must be a whole line. */
export type Sentences = { readonly says: readonly string[]; readonly lines?: readonly string[] }

/** Every state of the tab that the kit acts on. */
export const SCREENS = [
  ...(['prejoin', 'not_started', 'early', 'waiting', 'inside', 'left', 'blank', 'unknown'] as const),
  ...(['denied', 'unanswered', 'removed', 'ended', 'lost', 'problem'] as const),
  ...(['restricted', 'full', 'refused', 'sign_in', 'signed_out', 'invalid', 'not_found', 'marketing', 'captcha'] as const),
] as const

export type Screen = (typeof SCREENS)[number]

/** What must hold of one look at the page. A list of controls or of sentences holds when any of them does. */
export type Condition =
  | { readonly sentences: readonly string[] }
  | { readonly host: readonly string[] }
  | { readonly visible: readonly ControlName[] }
  | { readonly present: readonly ControlName[] }
  /** The page shows at least one participant. */
  | { readonly people: true }
  | { readonly captcha: true }
  /** Neither words nor controls. */
  | { readonly empty: true }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }

export type ScreenRule = { readonly screen: Screen; readonly when: Condition }

/** Why a screen keeps the bot out, and how long it must stay before that counts. */
type VerdictRow = {
  readonly reason: ErrorReason
  readonly message: string
  readonly afterSeconds: number
  /** The same for a bot that has asked to be let in. */
  readonly onceAskedSeconds?: number
  /** The page is opened again once the screen has stayed for so long, before it counts. */
  readonly reload?: { readonly afterSeconds: number; readonly most: number }
}

/** One element of the page for each participant that it shows. */
export type PeopleTable = {
  readonly tile: string
  /** Attributes that hold the participant's id, in order of trust. */
  readonly ids: readonly string[]
  readonly name: string
  /** Words in the bot's own tile. */
  readonly self: readonly string[]
  /** Tiles that begin with these are no participants. */
  readonly phantoms: readonly string[]
  /** What the page writes where a name would be. */
  readonly noNames: readonly string[]
}

/** The way to the language of the captions. `%` in an entry is the value of a language; the first entry that is there is pressed. */
export type CaptionLanguages = {
  readonly open: readonly ControlName[]
  readonly list: ControlName
  readonly entries: readonly string[]
  readonly close: ControlName
}

export type PlatformTables = {
  readonly controls: Readonly<Record<KitControl, readonly Signal[]>> & Readonly<Record<string, readonly Signal[]>>
  /** The selector of the frame in which the client may sit, where the page around it is empty. */
  readonly frame?: string
  /** Words of controls that are never pressed, whatever else fits. */
  readonly never: readonly string[]
  readonly people: PeopleTable
  /** Selectors of where participants' own words stand: they say nothing about the state of the page. */
  readonly talk: readonly string[]
  /** Selectors of where the chat shows a line that it has taken. */
  readonly chatLines: readonly string[]
  readonly sentences: Readonly<Record<string, Sentences>>
  /** The first rule that holds names the screen. `door`: until the bot is let in. `call`: from then on. */
  readonly screens: Readonly<Record<Stage, readonly ScreenRule[]>>
  /** A screen without a row is no reason to give up. */
  readonly verdicts: Readonly<Partial<Record<Screen, VerdictRow>>>
  /** Errors of the page's own code which mean that the platform has dropped a bot that asked to join. */
  readonly fatalErrors?: readonly string[]
  /** What may lie in front, in the order in which it is pressed away. */
  readonly notices: Readonly<Record<'door' | 'waiting' | 'call', readonly ControlName[]>>
  readonly captionLanguages?: CaptionLanguages
  /** What leads to the button of the captions, where it is not in sight. */
  readonly captionsMenu?: readonly ControlName[]
}

export type Stage = 'door' | 'call'
