/// <reference lib="dom" />
// The chat panel: its messages and an input.
import { type ChatLine, LIMITS } from '../../wire.ts'
import type { Call } from '../call.ts'
import { form, make, tinted } from './dom.ts'
import { icon } from './icons.ts'
import type { View } from './view.ts'

export function chat(call: Call): View {
  const empty = make('p', { class: 'empty' }, 'No messages yet. People who join later can read everything written here.')
  const list = make('ol', { class: 'lines', 'data-testid': 'chat-lines', role: 'log', 'aria-live': 'polite', 'aria-label': 'Messages' })
  const input = make('textarea', {
    id: 'chat-text',
    'data-testid': 'chat-text',
    'aria-label': 'Write a message',
    placeholder: 'Write a message',
    rows: '1',
    maxlength: String(LIMITS.chatLength),
  })
  const send = () => {
    const text = input.value.trim()
    if (text) call.send({ kind: 'chat', text })
    input.value = ''
    input.focus()
  }
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    send()
  })
  const write = form(
    'write',
    send,
    input,
    make('button', { class: 'round send', type: 'submit', 'data-testid': 'chat-send', 'aria-label': 'Send', title: 'Send' }, icon('send')),
  )

  let shown: readonly ChatLine[] = []
  return {
    element: make('div', { class: 'chat' }, empty, list, write),
    update({ chat: lines, self }) {
      if (lines === shown) return
      if (lines[0]?.id !== shown[0]?.id || lines.length < shown.length) list.replaceChildren()
      for (const line of lines.slice(list.childElementCount)) list.append(lineOf(line, lines[list.childElementCount - 1], self))
      shown = lines
      empty.hidden = lines.length > 0
      list.scrollTop = list.scrollHeight
    },
  }
}

const SAME_GROUP_MS = 120_000

function lineOf(line: ChatLine, before: ChatLine | undefined, self: string | null): HTMLElement {
  const isMine = line.from === self
  const continues = before?.from === line.from && line.at - before.at < SAME_GROUP_MS
  const time = new Date(line.at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  const head = make(
    'div',
    { class: 'line-head' },
    tinted(make('b', { title: line.name }, isMine ? 'You' : line.name), line.name),
    make('time', { datetime: new Date(line.at).toISOString() }, time),
  )
  return make(
    'li',
    { class: isMine ? 'line mine' : 'line', 'data-testid': 'chat-line', 'data-from': line.from, 'data-name': line.name },
    ...(continues ? [] : [head]),
    make('p', { 'data-testid': 'chat-line-text' }, line.text),
  )
}
