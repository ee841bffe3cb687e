// A platform's page as data: how to find its controls, its sentences, and the meaning of each screen.
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

/** The controls that every platform has. A platform adds others: notices, and the way to its settings. */
type CommonControl =
  | ('nameField' | 'join' | 'leave' | 'justLeave' | 'chat' | 'composer')
  | ('microphoneOn' | 'microphoneOff' | 'cameraOn' | 'cameraOff' | 'captionsAreOn' | 'captionsAreOff')
export type ControlName = CommonControl | (string & Record<never, never>)

/** `says`: a sentence anywhere on the page. `lines`: text so common that it must be a whole line, or with `*` its beginning. */
export type Sentences = { readonly says: readonly string[]; readonly lines?: readonly string[] }

/** Every state of the tab that the driver acts on. */
export const SCREENS = [
  ...(['prejoin', 'not_started', 'early', 'waiting', 'inside', 'moving', 'left', 'blank', 'unknown'] as const),
  ...(['denied', 'unanswered', 'removed', 'ended', 'lost', 'problem'] as const),
  ...(['restricted', 'encrypted', 'view_only', 'full', 'refused', 'sign_in', 'signed_out', 'registration'] as const),
  ...(['invalid', 'not_found', 'marketing', 'captcha', 'image_captcha'] as const),
] as const

export type Screen = (typeof SCREENS)[number]

/** Conditions on one snapshot. A list of controls or sentences holds when any entry does. */
export type Condition =
  | { readonly sentences: readonly string[] }
  | { readonly host: readonly string[] }
  /** The path of the address is one of these, or below it. */
  | { readonly path: readonly string[] }
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
export type VerdictRule = {
  readonly reason: ErrorReason
  readonly message: string
  readonly afterSeconds: number
  /** The same for a bot that has asked to join. */
  readonly onceAskedSeconds?: number
  /** The page is reloaded once the screen has stayed this long, before it counts. */
  readonly reload?: { readonly afterSeconds: number; readonly most: number }
  /** Other browsers often do not see the screen, so a bot that has not asked to join tries again in a fresh one. */
  readonly tryAfresh?: boolean
}

/** The elements that show participants. */
export type PeopleRules = {
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
  /** Badges and states behind a name in labels, also without a space before them. Case counts. */
  readonly besides?: readonly string[]
  /** The attribute with the source of the participant's audio, on an element of the tile. */
  readonly source?: string
  /** The attribute with the id of a room whose devices are merged into one source, on the tile or around it. */
  readonly room?: string
}

/** Breakout rooms. The screen `moving` is the page between two of them. */
export type RoomRules = {
  /** Holds while the bot is in a breakout room. */
  readonly inside: Condition
  /** The selector of the room's name, where the page shows it. */
  readonly name?: string
  /** What the name's element shows besides the name. */
  readonly besides: readonly string[]
  /** The beginnings of lines that end with the name, such as an invitation. Normalised. */
  readonly invitations?: readonly string[]
  /** Controls that are pressed to go along, into a room or back. */
  readonly follow: readonly ControlName[]
}

/** The way to the language of the captions. `%` in an entry stands for the language. The first entry that exists is pressed. */
export type CaptionLanguages = {
  readonly open: readonly ControlName[]
  readonly list: ControlName
  readonly entries: readonly string[]
  readonly close: ControlName
}

export type PageRules = {
  readonly controls: Readonly<Record<CommonControl, readonly Signal[]>> & Readonly<Record<string, readonly Signal[]>>
  /** The selector of the client's frame, where the page around it is empty. */
  readonly frame?: string
  /** Before admission, text in shadow roots and in visible frames counts as the page's own. */
  readonly nested?: boolean
  /** Labels of controls that are never pressed. */
  readonly never: readonly string[]
  readonly people: PeopleRules
  /** Selectors of participants' own text, which says nothing about the state of the page. */
  readonly talk: readonly string[]
  /** Selectors of sent messages in the chat. */
  readonly chatLines: readonly string[]
  readonly sentences: Readonly<Record<string, Sentences>>
  /** The first rule that holds names the screen. `door`: before admission. `call`: after it. */
  readonly screens: Readonly<Record<Stage, readonly ScreenRule[]>>
  /** A screen without a verdict is no refusal. */
  readonly verdicts: Readonly<Partial<Record<Screen, VerdictRule>>>
  /** Errors of the page's code which mean that the platform has dropped a bot that asked to join. */
  readonly fatalErrors?: readonly string[]
  /** Notices to dismiss, in this order. */
  readonly notices: Readonly<Record<'door' | 'waiting' | 'call', readonly ControlName[]>>
  readonly rooms?: RoomRules
  readonly captionLanguages?: CaptionLanguages
  /** The way to the captions button, where it is hidden in menus. */
  readonly captionsMenu?: readonly ControlName[]
  /** Controls of dialogs that the captions button opens. */
  readonly captionDialogs?: readonly ControlName[]
  /** How a control is used where filling it at once, or the pointer, does not work. */
  readonly inputs?: Readonly<Partial<Record<ControlName, 'keys' | 'script'>>>
  /** Controls that open a panel whose content is read: pressed in the call whenever they can be seen. */
  readonly panels?: readonly ControlName[]
}

export type Stage = 'door' | 'call'
