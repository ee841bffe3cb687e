/// <reference lib="dom" />
// The page before the call: name, microphone, camera and the join button, which stays here, disabled, while its user is in the lobby.
import { boot, fill, scenario, words } from './boot.ts'
import { devices } from './devices.ts'
import { ask } from './dialogs.ts'
import { type Attributes, make } from './make.ts'
import { button } from './press.ts'
import { createToggle, listenForShortcuts } from './toggles.ts'

export type Prejoin = {
  readonly name: string
  /** The lobby's sentence, with the name filled in. */
  waitWith(sentence: string): void
  /** The button can be pressed again. */
  giveBack(): void
}

const NAME_FIELDS: Readonly<Record<typeof scenario.nameField, Attributes>> = {
  tid: { 'data-tid': 'prejoin-display-name-input', placeholder: words.typeYourName, 'aria-label': words.typeYourName },
  placeholder: { placeholder: words.typeYourName },
  'aria-label': { 'aria-label': words.typeYourName },
  only_input: {},
}

export function showPrejoin(onJoin: () => void): Prejoin {
  const field = make('input', { type: 'text', maxlength: '64', autocomplete: 'off', ...NAME_FIELDS[scenario.nameField] })
  const lobby = make('div', { class: 'lobby', role: 'status', 'aria-live': 'polite', hidden: true })
  const attributes = scenario.joinButton === 'tid' ? { 'data-tid': 'prejoin-join-button' } : {}
  const join = button('join', words.join[scenario.join], () => void pressJoin(), { class: 'primary', ...attributes })
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
    giveBack() {
      field.hidden = false
      lobby.hidden = true
      join.removeAttribute('disabled')
    },
  }
}

/** True where the page goes away. */
export function reloadIfLight(): boolean {
  if (!location.pathname.startsWith('/light-meetings/')) return false
  location.replace(boot.fullUrl)
  return true
}

async function prepare(): Promise<void> {
  if (scenario.permissionNote) await ask(words.allowDevices, [{ control: 'allow_ok', text: words.ok }])
  if (!scenario.devicesOn) return
  await devices.turn('microphone', true)
  await devices.turn('camera', true)
}

function askAboutDevices(): Promise<string> {
  return ask(words.noDevicesHeading, [{ control: 'without_devices', text: words.withoutDevices }])
}

function createSwitches(): HTMLElement {
  const choice = (id: string, label: string, checked: boolean) =>
    make('label', {}, make('input', { type: 'radio', name: 'audio', value: id, 'aria-label': label, checked }), label)
  const audio = scenario.audioChoice ? [choice('computer', words.computerAudio, true), choice('none', words.noAudio, false)] : []
  const speaker = button('speaker', words.speakerOn, () => undefined, { 'aria-label': words.speakerOn })
  const options = button('video_options', words.videoOptions, () => undefined, { 'aria-label': words.videoOptions })
  return make('div', { class: 'switches' }, createToggle('camera'), options, createToggle('microphone'), ...audio, speaker)
}

function createCancel(): HTMLElement {
  return button('cancel', words.cancel, () => history.back(), { 'data-tid': 'prejoin-cancel-button' })
}

/** A healthy page has these too. */
function createExtras(): readonly HTMLElement[] {
  if (!scenario.decoys) return []
  return [
    make('div', { class: 'device-error-slot', role: 'alert' }),
    button('device_retry', words.tryAgain, () => undefined, { 'data-tid': 'device-retry-button' }),
    button('tip_ok', words.ok, () => undefined, { class: 'tip' }),
  ]
}
