/// <reference lib="dom" />
// The page before one has asked to join: name, microphone, camera, and the one right button among wrong ones.
import { boot, fill, scenario, words } from './boot.ts'
import { devices } from './devices.ts'
import { addInvisibleCaptcha, showCaptcha, showNotices, toast } from './dialogs.ts'
import { type Attributes, icon, labelled, make, pressable, textButton } from './dom.ts'
import { createSelfView, createToggle } from './toggles.ts'

/** Settles with the name under which somebody asks to join. */
export async function showPrejoin(): Promise<string> {
  const asked = Promise.withResolvers<string>()
  const field = boot.accountName === null ? createNameField() : null
  const main = make('main', { class: 'prejoin' }, createPreview(), createEntry(field, asked.resolve))
  document.body.replaceChildren(...(scenario.ghosts ? ghostsOf(main) : []), main, ...createChimes())
  if (scenario.captcha !== 'none') addInvisibleCaptcha()
  if (scenario.captcha === 'at_the_door') showCaptcha()
  void showNotices()
  if (scenario.devicesOn && !scenario.notices.includes('devices')) void openDevices()
  return asked.promise
}

/** Elements for the sounds of the page itself: there long before there is a call. */
function createChimes(): HTMLElement[] {
  return ['knock', 'joined', 'left'].map((name) => make('audio', { preload: 'none', 'data-sound': name, hidden: true }))
}

async function openDevices(): Promise<void> {
  for (const kind of ['microphone', 'camera'] as const) {
    await devices.turn(kind, true)
    if (devices.isMissing(kind)) toast(words.notFound[kind])
  }
}

function createPreview(): HTMLElement {
  const effects = pressable(
    { control: 'effects', attributes: { class: 'round', 'aria-label': words.effects }, press: () => undefined },
    icon('visual_effects'),
  )
  const controls = make('div', { class: 'preview-controls' }, createToggle('microphone'), createToggle('camera'), effects)
  return make('div', { class: 'preview' }, createSelfView(), controls)
}

const NAME_FIELDS: Readonly<Record<typeof scenario.nameField, Attributes>> = {
  'aria-label': { 'aria-label': words.yourName, placeholder: words.yourName, jsname: 'YPqjbf' },
  jsname: { jsname: 'YPqjbf' },
  placeholder: { placeholder: words.yourName },
}

function createNameField(): HTMLInputElement {
  return make('input', { type: 'text', class: 'name-field', maxlength: '60', autocomplete: 'name', ...NAME_FIELDS[scenario.nameField] })
}

function createEntry(field: HTMLInputElement | null, asked: (name: string) => void): HTMLElement {
  const name = () => field?.value.trim() ?? boot.accountName ?? ''
  const join = createJoinButton(() => asked(name()))
  const isReady = () => !scenario.joinNeedsName || name() !== ''
  const heed = () => join.toggleAttribute('disabled', !isReady())
  field?.addEventListener('input', heed)
  field?.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && isReady()) join.click()
  })
  heed()
  return make(
    'div',
    { class: 'entry' },
    make('h1', {}, field ? words.whatsYourName : words.readyToJoin),
    ...(field ? [field] : [make('div', { class: 'account' }, boot.accountName ?? '')]),
    make('div', { class: 'who', role: 'status' }, words.noOneHere),
    make('div', { class: 'join-buttons' }, join, wrongWay('present', words.present, 'present_to_all')),
    createOtherWays(),
  )
}

function createJoinButton(press: () => void): HTMLElement {
  const text = words.join[scenario.join]
  const label = scenario.joinLabel === 'decorated' ? fill(words.withoutCamera, { label: text }) : undefined
  const attributes = { class: 'button filled', jsname: 'Qx7uuf', 'aria-label': label }
  const button = pressable(
    {
      control: 'join',
      attributes,
      press: () => {
        // A second press while the first is on its way does nothing.
        button.setAttribute('aria-disabled', 'true')
        press()
      },
    },
    ...labelled(text),
  )
  return button
}

/** The ways in that are none for a bot. Whoever takes one does not get to the call. */
function wrongWay(control: string, text: string, ligature: string): HTMLElement {
  const press = () => document.body.replaceChildren(make('main', { class: 'screen' }, make('h1', {}, text)))
  return pressable({ control, attributes: { class: 'button', jsname: 'A5il2e' }, press }, icon(ligature), ...labelled(text))
}

function createOtherWays(): HTMLElement {
  const menu = make(
    'div',
    { class: 'menu', role: 'menu', hidden: true },
    wrongWay('phone_audio', words.phoneAudio, 'phone_in_talk'),
    wrongWay('companion', words.companion, 'devices'),
  )
  const open = () => {
    menu.hidden = !menu.hidden
  }
  const button = textButton('other_ways', words.otherWays, open, { 'aria-haspopup': 'menu', jsname: 'QgSmzd' })
  return make('div', { class: 'other-ways' }, button, menu)
}

/** Meet keeps copies of these nodes that nobody sees; they do nothing. One comes first in the document, by either way of hiding. */
function ghostsOf(main: HTMLElement): HTMLElement[] {
  return ['ghost-none', 'ghost-hidden'].map((how) => make('div', { class: how, 'aria-hidden': 'true' }, main.cloneNode(true)))
}
