/// <reference lib="dom" />
// Dialogs that must be answered before the page continues.
import { make } from './make.ts'
import { button } from './press.ts'

export type Choice = { readonly control: string; readonly text: string; readonly press?: () => void }

/** Resolves with the pressed control. */
export function ask(heading: string, choices: readonly Choice[], ...content: (Node | string)[]): Promise<string> {
  return new Promise((resolve) => {
    const layer = make('div', { class: 'layer' })
    const buttons = choices.map(({ control, text, press }) =>
      button(control, text, () => {
        layer.remove()
        press?.()
        resolve(control)
      }),
    )
    layer.append(
      make(
        'div',
        { class: 'dialog', role: 'dialog', 'aria-modal': 'true', 'aria-label': heading },
        make('h2', {}, heading),
        ...content,
        ...buttons,
      ),
    )
    document.body.append(layer)
  })
}
