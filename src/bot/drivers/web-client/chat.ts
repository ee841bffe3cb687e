// Writing into the meeting's chat.
import { Failure } from '../../../kit/failure.ts'
import { press, SHOWN_WITHIN_MS } from './controls.ts'
import type { Tab } from './tab.ts'

const LOOK_EVERY_MS = 100

type ChatTools = {
  readonly tab: Tab
  readonly longestLine: number
  /** Whether the platform has sent this line back. */
  readonly isTaken: (line: string) => boolean
}

/** Settles when each line shows, or came back. */
export async function write({ tab, longestLine, isTaken }: ChatTools, text: string): Promise<void> {
  await openChat(tab)
  for (const line of linesOf(text, longestLine)) {
    const written = (await tab.fill('composer', line)) && (await tab.pressEnter('composer'))
    if (!written) throw new Failure('chat_failed', 'The chat of the meeting did not let the bot write')
    await untilShown(tab, line, isTaken)
  }
}

async function openChat(tab: Tab): Promise<void> {
  await tab.wakeToolbar()
  if ((await tab.look()).visible.has('composer')) return
  await press(tab, 'chat', 'the button of the chat')
  const opened = await tab.until(({ visible }) => visible.has('composer'), SHOWN_WITHIN_MS)
  if (!opened) throw new Failure('chat_failed', 'The chat of the meeting takes no messages: it has no field for them')
}

async function untilShown(tab: Tab, line: string, isTaken: (line: string) => boolean): Promise<void> {
  const signal = AbortSignal.timeout(SHOWN_WITHIN_MS)
  while (!isTaken(line) && !(await tab.showsLine(line))) {
    if (signal.aborted) throw new Failure('chat_failed', 'The chat of the meeting did not take the message')
    await tab.rest(signal, LOOK_EVERY_MS)
  }
}

/** Splits a message that is longer than the chat takes, between words where that is possible. */
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

/** Half a character is none. */
function wholeCharacters(text: string, length: number): number {
  return /[\uD800-\uDBFF]/.test(text[length - 1] ?? '') ? length - 1 : length
}
