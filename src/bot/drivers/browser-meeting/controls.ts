// Presses the call's controls one after another, and waits until the page shows the effect.
import { Failure } from '../../../kit/failure.ts'
import type { Facts } from './facts.ts'
import type { MeetingClient } from './meeting-client.ts'
import type { CaptionLanguages, ControlName, PageRules } from './page-rules.ts'
import type { Tab } from './tab.ts'

export const SHOWN_WITHIN_MS = 4_000
const LEFT_WITHIN_MS = 3_000
const TRIES = 3

export async function turn(tab: Tab, device: 'microphone' | 'camera', on: boolean): Promise<void> {
  const wanted: ControlName = `${device}${on ? 'On' : 'Off'}`
  const opposite: ControlName = `${device}${on ? 'Off' : 'On'}`
  await tab.wakeToolbar()
  const facts = await tab.until(({ present }) => present.has(wanted) || present.has(opposite), SHOWN_WITHIN_MS)
  if (!facts) throw new Failure('control_failed', `The meeting shows no button for the ${device}`)
  if (isShown(facts.visible, facts.present, wanted, opposite)) return
  await press(tab, opposite, `the button of the ${device}`)
  const flipped = await tab.until(({ visible, present }) => isShown(visible, present, wanted, opposite), SHOWN_WITHIN_MS)
  if (!flipped) throw new Failure('control_failed', `The meeting did not turn the ${device} ${on ? 'on' : 'off'}`)
}

type Names = ReadonlySet<ControlName>

/** Visible controls count first. While the toolbar is hidden, present ones do. */
function isShown(visible: Names, present: Names, wanted: ControlName, opposite: ControlName): boolean {
  return visible.has(wanted) || (present.has(wanted) && !visible.has(opposite) && !present.has(opposite))
}

/** By the client's own functions where they can be reached, otherwise by its buttons. */
export async function turnCaptionsOn(
  tab: Tab,
  language: string | null,
  { captions, pageRules }: Pick<MeetingClient, 'captions' | 'pageRules'>,
): Promise<void> {
  const isOn = captions && (await tab.run(captions.begin(language))) === true
  if (!isOn) await pressCaptions(tab, language, pageRules)
}

async function pressCaptions(
  tab: Tab,
  language: string | null,
  { captionLanguages, captionsMenu = [], captionDialogs = [] }: Pick<PageRules, 'captionLanguages' | 'captionsMenu' | 'captionDialogs'>,
): Promise<void> {
  if (language !== null) await chooseLanguage(tab, language, captionLanguages)
  await tab.wakeToolbar()
  await openMenu(tab, captionsMenu)
  const facts = await tab.until(({ present }) => CAPTIONS.some((it) => present.has(it)), SHOWN_WITHIN_MS)
  if (!facts) throw new Failure('captions_failed', 'The meeting has no captions: it shows no button for them')
  if (!facts.present.has('captionsAreOff')) return
  await press(tab, 'captionsAreOff', 'the button of the captions')
  // A menu item disappears with its menu.
  const isOn = ({ present }: Facts) => present.has('captionsAreOn') || (captionsMenu.length > 0 && !present.has('captionsAreOff'))
  await confirm(tab, captionDialogs, isOn)
}

/** Some clients ask for the language, or report that the meeting is transcribed. */
async function confirm(tab: Tab, dialogs: readonly ControlName[], isOn: (facts: Facts) => boolean): Promise<void> {
  const asked = ({ visible }: Facts) => dialogs.find((it) => visible.has(it))
  for (let tries = 0; tries <= dialogs.length; tries++) {
    const facts = await tab.until((it) => asked(it) !== undefined || isOn(it), SHOWN_WITHIN_MS)
    if (!facts) break
    const dialog = asked(facts)
    if (dialog === undefined) return
    await press(tab, dialog, `"${dialog}"`)
  }
  throw new Failure('captions_failed', 'The meeting did not turn its captions on')
}

const CAPTIONS: readonly ControlName[] = ['captionsAreOff', 'captionsAreOn']

/** Some clients have the button one menu deeper than others. */
async function openMenu(tab: Tab, menu: readonly ControlName[]): Promise<void> {
  for (const control of menu) {
    const facts = await tab.until(({ visible }) => [control, ...CAPTIONS].some((it) => visible.has(it)), SHOWN_WITHIN_MS)
    if (!facts || CAPTIONS.some((it) => facts.visible.has(it))) return
    await press(tab, control, `"${control}"`)
  }
}

/** Selects the language in the settings dialog. */
async function chooseLanguage(tab: Tab, language: string, languages: CaptionLanguages | undefined): Promise<void> {
  if (!languages) throw new Failure('captions_failed', 'The language of the captions cannot be chosen on this platform')
  const { open, list, entries, close } = languages
  await tab.wakeToolbar()
  for (const control of open) await pressOnce(tab, control)
  const pick = () => tab.pressSeen(entries.map((entry) => ({ css: entry.replaceAll('%', language) })))
  const isPicked = (await pick()) || ((await tab.press(list)) && (await pick()))
  await tab.press(close)
  if (!isPicked) throw new Failure('captions_failed', `The meeting offers no captions in ${language}`)
}

async function pressOnce(tab: Tab, control: ControlName): Promise<void> {
  await tab.until(({ visible }) => visible.has(control), SHOWN_WITHIN_MS)
  await press(tab, control, `"${control}"`)
}

export async function press(tab: Tab, control: ControlName, label: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (await tab.press(control)) return
    // The toolbar may have hidden itself meanwhile.
    await tab.wakeToolbar()
  }
  throw new Failure('control_failed', `The meeting did not let the bot press ${label}`)
}

/** Closing the page leaves as well, so a failure here is harmless. */
export async function leaveCall(tab: Tab): Promise<void> {
  await tab.wakeToolbar()
  // On a busy machine the first press may time out.
  if (!(await tab.press('leave')) && !(await tab.press('leave'))) return
  const gone = ({ present }: { readonly present: Names }) => !present.has('leave')
  const facts = await tab.until((it) => gone(it) || it.visible.has('justLeave'), LEFT_WITHIN_MS)
  if (!facts?.visible.has('justLeave')) return
  await tab.press('justLeave')
  await tab.until(gone, LEFT_WITHIN_MS)
}
