// A platform's web client as data: how to find its controls, its sentences, and the meaning of each screen.
import type { ErrorReason } from '../../../domain/errors.ts'

/** All conditions of a signal must hold. Text is compared without case and with straight apostrophes. */
export type Signal = {
  /** Default: any element that can be pressed. */
  readonly css?: string
  /** Its label begins with one of these, or its text equals one of them. */
  readonly says?: readonly string[]
  /** It shows this icon, where icons are words in an icon font. */
  readonly icon?: string
  /** It is in a dialog that contains one of these. */
  readonly about?: readonly string[]
}

/** The controls that the kit presses. A platform adds others: notices, and the way to its settings. */
type KitControl =
  | ('nameField' | 'join' | 'leave' | 'justLeave' | 'chat' | 'composer')
  | ('microphoneOn' | 'microphoneOff' | 'cameraOn' | 'cameraOff' | 'captionsAreOn' | 'captionsAreOff')
export type ControlName = KitControl | (string & Record<never, never>)

/** `says`: a sentence anywhere on the page. `lines`: text so common that it must be a whole line. */
export type Sentences = { readonly says: readonly string[]; readonly lines?: readonly string[] }

/** Every state of the tab that the kit acts on. */
export const SCREENS = [
  ...(['prejoin', 'not_started', 'early', 'waiting', 'inside', 'left', 'blank', 'unknown'] as const),
  ...(['denied', 'unanswered', 'removed', 'ended', 'lost', 'problem'] as const),
  ...(['restricted', 'full', 'refused', 'sign_in', 'signed_out', 'invalid', 'not_found', 'marketing', 'captcha'] as const),
] as const

export type Screen = (typeof SCREENS)[number]

/** Conditions on one snapshot. A list of controls or sentences holds when any entry does. */
export type Condition =
  | { readonly sentences: readonly string[] }
  | { readonly host: readonly string[] }
  | { readonly visible: readonly ControlName[] }
  | { readonly present: readonly ControlName[] }
  /** The page shows at least one participant. */
  | { readonly people: true }
  | { readonly captcha: true }
  /** Neither text nor controls. */
  | { readonly empty: true }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }

export type ScreenRule = { readonly screen: Screen; readonly when: Condition }

/** Why a screen is a refusal, and how long it must stay before that counts. */
type VerdictRow = {
  readonly reason: ErrorReason
  readonly message: string
  readonly afterSeconds: number
  /** The same for a bot that has asked to join. */
  readonly onceAskedSeconds?: number
  /** The page is reloaded once the screen has stayed this long, before it counts. */
  readonly reload?: { readonly afterSeconds: number; readonly most: number }
}

/** The elements that show participants. */
export type PeopleTable = {
  readonly tile: string
  /** Attributes with the participant's id, in order of trust. */
  readonly ids: readonly string[]
  readonly name: string
  /** Text in the bot's own tile. */
  readonly self: readonly string[]
  /** Tiles that begin with these are no participants. */
  readonly phantoms: readonly string[]
  /** Placeholders that the page shows instead of a name. */
  readonly noNames: readonly string[]
}

/** The way to the language of the captions. `%` in an entry stands for the language. The first entry that exists is pressed. */
export type CaptionLanguages = {
  readonly open: readonly ControlName[]
  readonly list: ControlName
  readonly entries: readonly string[]
  readonly close: ControlName
}

export type PlatformTables = {
  readonly controls: Readonly<Record<KitControl, readonly Signal[]>> & Readonly<Record<string, readonly Signal[]>>
  /** The selector of the client's frame, where the page around it is empty. */
  readonly frame?: string
  /** Labels of controls that are never pressed. */
  readonly never: readonly string[]
  readonly people: PeopleTable
  /** Selectors of participants' own text, which says nothing about the state of the page. */
  readonly talk: readonly string[]
  /** Selectors of sent messages in the chat. */
  readonly chatLines: readonly string[]
  readonly sentences: Readonly<Record<string, Sentences>>
  /** The first rule that holds names the screen. `door`: before admission. `call`: after it. */
  readonly screens: Readonly<Record<Stage, readonly ScreenRule[]>>
  /** A screen without a row is no refusal. */
  readonly verdicts: Readonly<Partial<Record<Screen, VerdictRow>>>
  /** Errors of the page's code which mean that the platform has dropped a bot that asked to join. */
  readonly fatalErrors?: readonly string[]
  /** Notices to dismiss, in this order. */
  readonly notices: Readonly<Record<'door' | 'waiting' | 'call', readonly ControlName[]>>
  readonly captionLanguages?: CaptionLanguages
  /** The way to the captions button, where it is hidden in menus. */
  readonly captionsMenu?: readonly ControlName[]
  /** How a control is used where filling it at once, or the pointer, does not work. */
  readonly inputs?: Readonly<Partial<Record<ControlName, 'keys' | 'script'>>>
  /** Controls that open a panel whose content is read: pressed in the call whenever they can be seen. */
  readonly panels?: readonly ControlName[]
}

export type Stage = 'door' | 'call'
