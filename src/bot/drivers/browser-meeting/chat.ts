// Writes messages into the meeting's chat.
import { Failure } from '../../../kit/failure.ts'
import { press, SHOWN_WITHIN_MS } from './controls.ts'
import type { Tab } from './tab.ts'

const LOOK_EVERY_MS = 100

type ChatTools = {
  readonly tab: Tab
  readonly longestLine: number
  /** The platform has sent this line back. */
  readonly isTaken: (line: string) => boolean
}

/** Resolves when each line is visible or was sent back. */
export async function write({ tab, longestLine, isTaken }: ChatTools, text: string): Promise<void> {
  await openChat(tab)
  for (const line of linesOf(text, longestLine)) {
    const written = (await tab.fill('composer', line)) && (await tab.pressEnter('composer'))
    if (!written) throw new Failure('chat_failed', 'The message field of the meeting’s chat could not be filled in')
    await untilShown(tab, line, isTaken)
  }
}

async function openChat(tab: Tab): Promise<void> {
  await tab.wakeToolbar()
  if ((await tab.look()).visible.has('composer')) return
  await press(tab, 'chat', 'the button of the chat')
  const opened = await tab.until(({ visible }) => visible.has('composer'), SHOWN_WITHIN_MS)
  if (!opened) throw new Failure('chat_failed', 'The meeting’s chat is read-only: it has no message field')
}

async function untilShown(tab: Tab, line: string, isTaken: (line: string) => boolean): Promise<void> {
  const signal = AbortSignal.timeout(SHOWN_WITHIN_MS)
  while (!isTaken(line) && !(await tab.showsLine(line))) {
    if (signal.aborted) throw new Failure('chat_failed', 'The meeting’s chat did not accept the message')
    await tab.rest(signal, LOOK_EVERY_MS)
  }
}

/** Splits a message at the chat's length limit, between words where possible. */
export function linesOf(text: string, longestLine: number): readonly string[] {
  const lines: string[] = []
  let rest = text.trim()
  while (rest.length > longestLine) {
    const space = rest.slice(0, longestLine + 1).search(/\s\S*$/)
    const cut = space > 0 ? space : wholeCharacters(rest, longestLine)
    lines.push(rest.slice(0, cut).trimEnd())
    rest = rest.slice(cut).trimStart()
  }
  return rest === '' ? lines : [...lines, rest]
}

/** Never splits a surrogate pair. */
function wholeCharacters(text: string, length: number): number {
  return /[\uD800-\uDBFF]/.test(text[length - 1] ?? '') ? length - 1 : length
}
