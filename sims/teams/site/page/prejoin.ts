/// <reference lib="dom" />
// The page before the call: name, microphone, camera and the join button, which stays disabled while its user is in the lobby.
import { boot, fill, scenario, texts } from './boot.ts'
import { devices } from './devices.ts'
import { ask } from './dialogs.ts'
import { type Attributes, make } from './make.ts'
import { button } from './press.ts'
import { createToggle, listenForShortcuts } from './toggles.ts'
import { withToken } from './token.ts'

export type Prejoin = {
  readonly name: string
  /** The text of the lobby, with the name filled in. */
  waitWith(sentence: string): void
  /** Enables the button again. */
  enableAgain(): void
}

const NAME_FIELDS: Readonly<Record<typeof scenario.nameField, Attributes>> = {
  tid: { 'data-tid': 'prejoin-display-name-input', placeholder: texts.typeYourName, 'aria-label': texts.typeYourName },
  placeholder: { placeholder: texts.typeYourName },
  'aria-label': { 'aria-label': texts.typeYourName },
  only_input: {},
}

export function showPrejoin(onJoin: () => void): Prejoin {
  const field = make('input', { type: 'text', maxlength: '64', autocomplete: 'off', ...NAME_FIELDS[scenario.nameField] })
  const lobby = make('div', { class: 'lobby', role: 'status', 'aria-live': 'polite', hidden: true })
  const attributes = scenario.joinButton === 'tid' ? { 'data-tid': 'prejoin-join-button' } : {}
  const join = button('join', texts.join[scenario.join], () => void pressJoin(), { class: 'primary', ...attributes })
  const name = () => boot.accountName ?? field.value.trim()
  const update = () => join.toggleAttribute('disabled', name() === '')
  const pressJoin = async () => {
    join.setAttribute('disabled', '')
    if (scenario.noDevicesDialog === 'before_join') await askAboutDevices()
    onJoin()
    if (scenario.noDevicesDialog === 'after_join') await askAboutDevices()
  }
  field.addEventListener('input', update)
  if (scenario.experience === 'reload_on_name') field.addEventListener('input', reloadIfLight)
  const identity = boot.accountName === null ? field : make('div', { class: 'account' }, boot.accountName)
  document.body.replaceChildren(
    make('main', { class: 'prejoin' }, identity, lobby, createSwitches(), ...createExtras(), createCancel(), join),
  )
  update()
  listenForShortcuts()
  void prepare()
  return {
    get name() {
      return name()
    },
    waitWith(sentence) {
      field.hidden = true
      lobby.hidden = false
      lobby.textContent = fill(sentence, { name: name() })
    },
    enableAgain() {
      field.hidden = false
      lobby.hidden = true
      join.removeAttribute('disabled')
    },
  }
}

/** True if the page is leaving. */
export function reloadIfLight(): boolean {
  if (!location.pathname.startsWith('/light-meetings/')) return false
  location.replace(withToken(boot.fullUrl))
  return true
}

async function prepare(): Promise<void> {
  if (scenario.permissionNote) await ask(texts.allowDevices, [{ control: 'allow_ok', text: texts.ok }])
  if (!scenario.devicesOn) return
  await devices.turn('microphone', true)
  await devices.turn('camera', true)
}

function askAboutDevices(): Promise<string> {
  return ask(texts.noDevicesHeading, [{ control: 'without_devices', text: texts.withoutDevices }])
}

function createSwitches(): HTMLElement {
  const choice = (id: string, label: string, checked: boolean) =>
    make('label', {}, make('input', { type: 'radio', name: 'audio', value: id, 'aria-label': label, checked }), label)
  const audio = scenario.audioChoice ? [choice('computer', texts.computerAudio, true), choice('none', texts.noAudio, false)] : []
  const speaker = button('speaker', texts.speakerOn, () => undefined, { 'aria-label': texts.speakerOn })
  const options = button('video_options', texts.videoOptions, () => undefined, { 'aria-label': texts.videoOptions })
  return make('div', { class: 'switches' }, createToggle('camera'), options, createToggle('microphone'), ...audio, speaker)
}

function createCancel(): HTMLElement {
  return button('cancel', texts.cancel, () => history.back(), { 'data-tid': 'prejoin-cancel-button' })
}

/** Controls that look like errors, which a healthy page has too. */
function createExtras(): readonly HTMLElement[] {
  if (!scenario.decoys) return []
  return [
    make('div', { class: 'device-error-slot', role: 'alert' }),
    button('device_retry', texts.tryAgain, () => undefined, { 'data-tid': 'device-retry-button' }),
    button('tip_ok', texts.ok, () => undefined, { class: 'tip' }),
  ]
}
