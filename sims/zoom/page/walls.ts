/// <reference lib="dom" />
// Screens that replace the meeting, and two consents: the account's disclaimer before it, and the recording notice in it.
import type { WebScenario } from '../site/web-scenario.ts'
import type { Words } from '../site/words.ts'
import type { CallView } from './call-view.ts'
import { button, make } from './make.ts'

type Wall = WebScenario['wall']
/** Answers of the site, and none. */
type NoScreen = 'none' | 'invalid_link' | 'registration_page'
const NO_SCREEN: readonly Wall[] = ['none', 'invalid_link', 'registration_page'] satisfies readonly NoScreen[]
const hasScreen = (wall: Wall): wall is Exclude<Wall, NoScreen> => !NO_SCREEN.includes(wall)

/** Null: no screen replaces the meeting. */
export function wallScreen(wall: Wall, words: Words): readonly HTMLElement[] | null {
  const screens: Readonly<Record<Exclude<Wall, NoScreen>, () => readonly HTMLElement[]>> = {
    bots: () => [
      make('h2', {}, words.botsBlocked),
      make('p', {}, words.botDetected),
      make('p', {}, words.botSignIn),
      button('sign-in', words.signIn, () => undefined),
    ],
    captcha: () => [
      make('h2', {}, words.verify),
      make('p', {}, words.captchaBody),
      make('iframe', { title: 'reCAPTCHA', srcdoc: 'reCAPTCHA', src: 'about:blank#recaptcha', width: '300', height: '80' }),
      button('captcha', words.continueOn, () => undefined),
    ],
    image_captcha: () => [
      make(
        'div',
        { class: 'component_smart_captcha' },
        make('div', { class: 'CaptchaContainer' }, make('canvas', { width: '160', height: '40' }), make('p', {}, words.typeCharacters)),
        make('input', { type: 'text' }),
        button('captcha', words.continueOn, () => undefined),
      ),
    ],
    registration_form: () => registrationForm(words),
    recaptcha_failed: () => [make('p', { role: 'alert' }, words.captchaFailed)],
    sign_in: () => [
      make('h2', {}, words.signInToJoin),
      make('p', {}, words.commercial),
      button('sign-in', 'Sign in Zoom', () => undefined, { class: 'login-btn-zoom' }),
    ],
  }
  return hasScreen(wall) ? screens[wall]() : null
}

/** The form that a meeting with registration shows before its preview. */
function registrationForm({ registration, register }: Words): readonly HTMLElement[] {
  const fields = ['question_first_name', 'question_last_name', 'question_email'].map((id) => make('input', { id, type: 'text' }))
  return [make('h1', {}, registration), ...fields, button('register', register, () => undefined)]
}

/** Resolves when the user agrees. */
export function agreeToDisclaimer({ disclaimer, agree, cancel }: Words, into: HTMLElement, onCancel: () => void): Promise<void> {
  return new Promise((resolve) => {
    const dialog = make('div', { class: 'zm-modal disclaimer-dialog', role: 'dialog' }, make('p', {}, disclaimer))
    const close = () => {
      dialog.remove()
      resolve()
    }
    dialog.append(button('disclaimer-agree', agree, close, { id: 'disclaimer_agree' }), button('disclaimer-cancel', cancel, onCancel))
    into.append(dialog)
  })
}

export function askRecordingConsent(view: CallView, leave: () => void): void {
  const { recorded, recordedBody, gotIt, leaveMeeting } = view.words
  view.dialog(recorded, recordedBody, [
    { control: 'recording-consent', text: gotIt },
    { control: 'recording-leave', text: leaveMeeting, press: leave },
  ])
}
