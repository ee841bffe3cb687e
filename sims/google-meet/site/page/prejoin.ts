/// <reference lib="dom" />
// The page before the knock: name, microphone, camera, and the join button among buttons that lead elsewhere.
import { boot, fill, scenario, texts } from './boot.ts'
import { devices } from './devices.ts'
import { addInvisibleCaptcha, checkSpeaker, showCaptcha, showNotices, toast } from './dialogs.ts'
import { type Attributes, icon, labelled, make, pressable, textButton } from './dom.ts'
import { createSelfView, createToggle } from './toggles.ts'

/** Resolves with the name of the knock. */
export async function showPrejoin(): Promise<string> {
  const asked = Promise.withResolvers<string>()
  const field = boot.accountName === null ? createNameField() : null
  const main = make('main', { class: 'prejoin' }, createPreview(), createEntry(field, asked.resolve))
  document.body.replaceChildren(...(scenario.ghosts ? ghostsOf(main) : []), main, ...createChimes())
  if (scenario.captcha !== 'none') addInvisibleCaptcha()
  if (scenario.captcha === 'at_the_door') showCaptcha()
  void showNotices()
  if (scenario.needsSpeaker) void checkSpeaker()
  if (scenario.devicesOn && !scenario.notices.includes('devices')) void openDevices()
  return asked.promise
}

/** Elements for the page's own sounds, which exist before the call. */
function createChimes(): HTMLElement[] {
  return ['knock', 'joined', 'left'].map((name) => make('audio', { preload: 'none', 'data-sound': name, hidden: true }))
}

async function openDevices(): Promise<void> {
  for (const kind of ['microphone', 'camera'] as const) {
    await devices.turn(kind, true)
    if (devices.isMissing(kind)) toast(texts.notFound[kind])
  }
}

function createPreview(): HTMLElement {
  const effects = pressable(
    { control: 'effects', attributes: { class: 'round', 'aria-label': texts.effects }, press: () => undefined },
    icon('visual_effects'),
  )
  const controls = make('div', { class: 'preview-controls' }, createToggle('microphone'), createToggle('camera'), effects)
  return make('div', { class: 'preview' }, createSelfView(), controls)
}

const NAME_FIELDS: Readonly<Record<typeof scenario.nameField, Attributes>> = {
  'aria-label': { 'aria-label': texts.yourName, placeholder: texts.yourName, jsname: 'YPqjbf' },
  jsname: { jsname: 'YPqjbf' },
  placeholder: { placeholder: texts.yourName },
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
    make('h1', {}, field ? texts.whatsYourName : texts.readyToJoin),
    ...(field ? [field] : [make('div', { class: 'account' }, boot.accountName ?? '')]),
    make('div', { class: 'who', role: 'status' }, texts.noOneHere),
    make('div', { class: 'join-buttons' }, join, wrongWay('present', texts.present, 'present_to_all')),
    createOtherWays(),
  )
}

function createJoinButton(press: () => void): HTMLElement {
  const text = texts.join[scenario.join]
  const label = scenario.joinLabel === 'decorated' ? fill(texts.withoutCamera, { label: text }) : undefined
  const attributes = { class: 'button filled', jsname: 'Qx7uuf', 'aria-label': label }
  const button = pressable(
    {
      control: 'join',
      attributes,
      press: () => {
        // A second press while the first is pending does nothing.
        button.setAttribute('aria-disabled', 'true')
        press()
      },
    },
    ...labelled(text),
  )
  return button
}

/** Ways to join that do not lead to the call. */
function wrongWay(control: string, text: string, ligature: string): HTMLElement {
  const press = () => document.body.replaceChildren(make('main', { class: 'screen' }, make('h1', {}, text)))
  return pressable({ control, attributes: { class: 'button', jsname: 'A5il2e' }, press }, icon(ligature), ...labelled(text))
}

function createOtherWays(): HTMLElement {
  const menu = make(
    'div',
    { class: 'menu', role: 'menu', hidden: true },
    wrongWay('phone_audio', texts.phoneAudio, 'phone_in_talk'),
    wrongWay('companion', texts.companion, 'devices'),
  )
  const open = () => {
    menu.hidden = !menu.hidden
  }
  const button = textButton('other_ways', texts.otherWays, open, { 'aria-haspopup': 'menu', jsname: 'QgSmzd' })
  return make('div', { class: 'other-ways' }, button, menu)
}

/** Meet keeps hidden copies of these nodes without a function. One comes first in the document, for each way of hiding. */
function ghostsOf(main: HTMLElement): HTMLElement[] {
  return ['ghost-none', 'ghost-hidden'].map((how) => make('div', { class: how, 'aria-hidden': 'true' }, main.cloneNode(true)))
}
