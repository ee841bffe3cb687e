/// <reference lib="dom" />
// "More options", and the settings behind it: among them the language in which captions are written.
import { scenario, words } from './boot.ts'
import { ask } from './dialogs.ts'
import { icon, make, pressable } from './dom.ts'

/** Codes and names of the list; only the shape of the codes is known. */
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
    item('layout', words.layout, 'grid_view', openLayout),
    item('effects', words.effects, 'visual_effects', () => undefined),
    item('settings', words.settings, 'settings', () => openSettings(events)),
  )
  const open = () => {
    menu.hidden = !menu.hidden
  }
  const attributes = { class: 'round', jsname: 'NakZHc', 'aria-label': words.more, 'aria-haspopup': 'menu' }
  return make('div', { class: 'more' }, pressable({ control: 'more', attributes, press: open }, icon('more_vert')), menu)
}

/** Labelled options, of which one is chosen, and a button to close. */
function openLayout(): void {
  const layer = make('div', { class: 'layer' })
  const options = words.layouts.map((text, index) =>
    make('label', { class: 'menu-item' }, make('input', { type: 'radio', name: 'layout', checked: index === 0 }), make('span', {}, text)),
  )
  const attributes = { class: 'round small', 'aria-label': words.close }
  const close = pressable({ control: 'close_dialog', attributes, press: () => layer.remove() }, icon('close'))
  const dialog = { class: 'dialog', role: 'dialog', 'aria-modal': 'true', 'aria-label': words.layout }
  layer.append(make('div', dialog, make('h2', {}, words.layout), make('div', { role: 'radiogroup' }, ...options), close))
  document.body.append(layer)
}

/** All panes are in the document; one is shown. */
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
    tab('settings_audio', words.audio, 'volume_up', []),
    tab('settings_video', words.video, 'videocam', videoPane()),
    tab('settings_general', words.general, 'settings', []),
    tab('settings_captions', words.captions, 'closed_caption', captionsPane(events)),
    tab('settings_reactions', words.reactions, 'mood', reactionsPane()),
  ]
  const attributes = { class: 'round small', 'aria-label': words.closeDialog, 'data-mdc-dialog-action': 'close' }
  const close = pressable({ control: 'close_settings', attributes, press: () => layer.remove() }, icon('close'))
  const dialog = { class: 'dialog settings', role: 'dialog', 'aria-modal': 'true', 'aria-label': words.settings }
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
  const list = make('ul', { class: 'settings-list', role: 'listbox', 'aria-label': words.meetingLanguage, hidden: true }, ...options)
  const open = () => {
    list.hidden = !list.hidden
  }
  const attributes = { class: 'button', role: 'combobox', 'aria-label': words.meetingLanguage, 'aria-haspopup': 'listbox' }
  return [make('h3', {}, words.captions), pressable({ control: 'open_languages', attributes, press: open }, chosen), list]
}

function videoPane(): HTMLElement[] {
  const attributes = { role: 'option', class: 'menu-item', 'aria-label': words.audioOnly }
  return [make('ul', {}, pressable({ control: 'audio_only', tag: 'li', attributes, press: () => undefined }, words.audioOnly))]
}

function reactionsPane(): HTMLElement[] {
  const attributes = { class: 'button', role: 'switch', 'aria-checked': 'true', 'aria-label': words.reactionsFromOthers }
  return [pressable({ control: 'reactions_from_others', attributes, press: () => undefined }, words.reactionsFromOthers)]
}

/** Who is a host is asked before anybody's call is over. */
export async function confirmLeaving(): Promise<boolean> {
  if (!scenario.asHost) return true
  const answer = await ask(words.leave, '', [
    { control: 'just_leave', text: words.justLeave },
    { control: 'end_for_all', text: words.endForAll },
  ])
  return answer === 'just_leave' || answer === 'end_for_all'
}
