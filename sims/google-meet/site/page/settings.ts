/// <reference lib="dom" />
// The menu "More options" and the settings, including the language of captions.
import { scenario, texts } from './boot.ts'
import { ask } from './dialogs.ts'
import { icon, make, pressable } from './dom.ts'

/** Caption languages by code. The field notes give only the format of the codes. */
const CAPTION_LANGUAGES: Readonly<Record<string, string>> = {
  'en-US': 'English',
  'es-ES': 'Spanish (Spain)',
  'fr-FR': 'French',
  'de-DE': 'German',
  'nl-NL': 'Dutch',
  'pt-BR': 'Portuguese (Brazil)',
  'ja-JP': 'Japanese',
  'cmn-Hans-CN': 'Chinese, Mandarin (Simplified)',
}

export type SettingsEvents = { readonly captionLanguage: (language: string) => void }

export function createMoreButton(events: SettingsEvents): HTMLElement {
  const menu = make('ul', { class: 'menu more-menu', role: 'menu', hidden: true })
  const item = (control: string, text: string, ligature: string, press: () => void) => {
    const choose = () => {
      menu.hidden = true
      press()
    }
    const attributes = { role: 'menuitem', tabindex: '0', class: 'menu-item' }
    return pressable({ control, tag: 'li', attributes, press: choose }, icon(ligature), make('span', { jsname: 'K4r5Ff' }, text))
  }
  menu.append(
    item('layout', texts.layout, 'grid_view', openLayout),
    item('effects', texts.effects, 'visual_effects', () => undefined),
    item('settings', texts.settings, 'settings', () => openSettings(events)),
  )
  const open = () => {
    menu.hidden = !menu.hidden
  }
  const attributes = { class: 'round', jsname: 'NakZHc', 'aria-label': texts.more, 'aria-haspopup': 'menu' }
  return make('div', { class: 'more' }, pressable({ control: 'more', attributes, press: open }, icon('more_vert')), menu)
}

/** Labelled options, of which one is chosen, and a button to close. */
function openLayout(): void {
  const layer = make('div', { class: 'layer' })
  const options = texts.layouts.map((text, index) =>
    make('label', { class: 'menu-item' }, make('input', { type: 'radio', name: 'layout', checked: index === 0 }), make('span', {}, text)),
  )
  const attributes = { class: 'round small', 'aria-label': texts.close }
  const close = pressable({ control: 'close_dialog', attributes, press: () => layer.remove() }, icon('close'))
  const dialog = { class: 'dialog', role: 'dialog', 'aria-modal': 'true', 'aria-label': texts.layout }
  layer.append(make('div', dialog, make('h2', {}, texts.layout), make('div', { role: 'radiogroup' }, ...options), close))
  document.body.append(layer)
}

/** All panes are in the document, and one is shown. */
function openSettings(events: SettingsEvents): void {
  const layer = make('div', { class: 'layer' })
  const panes: HTMLElement[] = []
  const tab = (control: string, label: string, ligature: string, content: HTMLElement[]) => {
    const pane = make('div', { class: 'settings-pane', role: 'tabpanel', 'aria-label': label, hidden: panes.length > 0 }, ...content)
    panes.push(pane)
    const show = () => {
      for (const it of panes) it.hidden = it !== pane
    }
    const attributes = { class: 'button settings-tab', jsname: 'z4Tpl', role: 'tab', 'aria-label': label }
    return pressable({ control, attributes, press: show }, icon(ligature), label)
  }
  const tabs = [
    tab('settings_audio', texts.audio, 'volume_up', []),
    tab('settings_video', texts.video, 'videocam', videoPane()),
    tab('settings_general', texts.general, 'settings', []),
    tab('settings_captions', texts.captions, 'closed_caption', captionsPane(events)),
    tab('settings_reactions', texts.reactions, 'mood', reactionsPane()),
  ]
  const attributes = { class: 'round small', 'aria-label': texts.closeDialog, 'data-mdc-dialog-action': 'close' }
  const close = pressable({ control: 'close_settings', attributes, press: () => layer.remove() }, icon('close'))
  const dialog = { class: 'dialog settings', role: 'dialog', 'aria-modal': 'true', 'aria-label': texts.settings }
  layer.append(make('div', dialog, make('div', { class: 'settings-tabs', role: 'tablist' }, ...tabs), ...panes, close))
  document.body.append(layer)
}

function captionsPane({ captionLanguage }: SettingsEvents): HTMLElement[] {
  const chosen = make('span', {}, CAPTION_LANGUAGES['en-US'] ?? '')
  const options = Object.entries(CAPTION_LANGUAGES).map(([code, name]) => {
    const choose = () => {
      list.hidden = true
      chosen.textContent = name
      captionLanguage(code)
    }
    const attributes = { role: 'option', class: 'menu-item', 'data-value': code, tabindex: '-1' }
    return pressable({ control: 'caption_language', tag: 'li', attributes, press: choose }, make('span', {}, name))
  })
  const list = make('ul', { class: 'settings-list', role: 'listbox', 'aria-label': texts.meetingLanguage, hidden: true }, ...options)
  const open = () => {
    list.hidden = !list.hidden
  }
  const attributes = { class: 'button', role: 'combobox', 'aria-label': texts.meetingLanguage, 'aria-haspopup': 'listbox' }
  return [make('h3', {}, texts.captions), pressable({ control: 'open_languages', attributes, press: open }, chosen), list]
}

function videoPane(): HTMLElement[] {
  const attributes = { role: 'option', class: 'menu-item', 'aria-label': texts.audioOnly }
  return [make('ul', {}, pressable({ control: 'audio_only', tag: 'li', attributes, press: () => undefined }, texts.audioOnly))]
}

function reactionsPane(): HTMLElement[] {
  const attributes = { class: 'button', role: 'switch', 'aria-checked': 'true', 'aria-label': texts.reactionsFromOthers }
  return [pressable({ control: 'reactions_from_others', attributes, press: () => undefined }, texts.reactionsFromOthers)]
}

/** A host is asked whether to end the call for everybody. */
export async function confirmLeaving(): Promise<boolean> {
  if (!scenario.asHost) return true
  const answer = await ask(texts.leave, '', [
    { control: 'just_leave', text: texts.justLeave },
    { control: 'end_for_all', text: texts.endForAll },
  ])
  return answer === 'just_leave' || answer === 'end_for_all'
}
