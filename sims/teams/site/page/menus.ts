/// <reference lib="dom" />
// The menus of the call: "More" with captions, and "View".
import { scenario, texts } from './boot.ts'
import { make } from './make.ts'
import { pressable } from './press.ts'

export type MenuActions = {
  readonly areCaptionsOn: () => boolean
  readonly turnCaptions: (on: boolean) => void
  readonly show: (view: 'speaker' | 'gallery') => void
  readonly turnIncomingVideo: (on: boolean) => void
}

const VIEW_IDS = {
  current: { button: 'view-mode-button', speaker: 'SpeakerView-button', gallery: 'MixedGrid-button', video: 'incoming-video-button' },
  custom: {
    button: 'custom-view-button',
    speaker: 'custom-view-button-SpeakerViewButton',
    gallery: 'custom-view-button-MixedGridButton',
    video: 'toggle-incoming-video-button',
  },
} as const

type Item = { readonly id: string; readonly control: string; readonly text: string; readonly press: () => void; readonly stays?: boolean }

/** Closes the menu that is open. */
let closeOpen = (): void => undefined

/** A button and its menu, built at each opening. Another press closes it, and so does another menu. */
function createMenu(id: string, text: string, items: () => readonly Item[]): HTMLElement {
  const menu = make('div', { class: 'menu', role: 'menu', hidden: true })
  const close = () => {
    menu.hidden = true
    menu.replaceChildren()
    menu.parentElement?.querySelector('.submenu')?.remove()
  }
  const show = (content: readonly Item[]) => {
    closeOpen()
    closeOpen = close
    menu.hidden = false
    const buttons = content.map(({ control, text: label, press, id: itemId, stays }) => {
      const act = () => {
        if (!stays) close()
        press()
      }
      return pressable({ control, attributes: { id: itemId, role: 'menuitem', 'aria-label': label }, press: act }, label)
    })
    menu.replaceChildren(...buttons)
  }
  const toggle = () => (menu.hidden ? show(items()) : close())
  const button = pressable({ control: id, attributes: { id, 'aria-label': text, 'aria-haspopup': 'menu' }, press: toggle }, text)
  return make('div', { class: 'menu-box' }, button, menu)
}

export function createMoreMenu({ areCaptionsOn, turnCaptions }: MenuActions): HTMLElement {
  const box: HTMLElement = createMenu('callingButtons-showMoreBtn', texts.more, () => [
    scenario.captionsMenu === 'nested' ? speech() : captions(),
  ])
  const captions = (): Item => ({
    id: 'closed-captions-button',
    control: 'captions',
    text: scenario.captionsMenu === 'top' ? texts.captions : areCaptionsOn() ? texts.captionsOff : texts.captionsOn,
    press: () => turnCaptions(!areCaptionsOn()),
  })
  const speech = (): Item => ({
    id: 'LanguageSpeechMenuControl-id',
    control: 'language_and_speech',
    text: texts.languageAndSpeech,
    stays: true,
    press: () => openSubmenu(box, captions()),
  })
  return box
}

export function createViewMenu({ show, turnIncomingVideo }: MenuActions): HTMLElement {
  const ids = VIEW_IDS[scenario.viewMenu]
  let isIncoming = true
  const box: HTMLElement = createMenu(ids.button, texts.view, () => [
    { id: ids.speaker, control: 'speaker_view', text: texts.speakerView, press: () => show('speaker') },
    { id: ids.gallery, control: 'gallery_view', text: texts.galleryView, press: () => show('gallery') },
    {
      id: 'ViewModeMoreOptionsMenuControl-id',
      control: 'more_view_options',
      text: texts.moreViewOptions,
      stays: true,
      press: () => openSubmenu(box, incoming()),
    },
  ])
  const incoming = (): Item => ({
    id: ids.video,
    control: 'incoming_video',
    text: isIncoming ? texts.incomingVideoOff : texts.incomingVideoOn,
    press: () => {
      isIncoming = !isIncoming
      turnIncomingVideo(isIncoming)
    },
  })
  return box
}

/** Stays beside its menu until its item is pressed. */
function openSubmenu(box: HTMLElement, { id, control, text, press }: Item): void {
  box.querySelector('.submenu')?.remove()
  const act = () => {
    submenu.remove()
    const menu = box.querySelector<HTMLElement>('.menu')
    if (menu) menu.hidden = true
    press()
  }
  const item = pressable({ control, attributes: { id, role: 'menuitem', 'aria-label': text }, press: act }, text)
  const submenu = make('div', { class: 'submenu', role: 'menu' }, item)
  box.append(submenu)
}
