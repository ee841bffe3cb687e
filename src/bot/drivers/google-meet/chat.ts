// Writing into the meeting's chat.
import { press, SHOWN_WITHIN_MS } from './controls.ts'
import { pause, type Tab } from './tab.ts'

const LONGEST_LINE = 500
const CHAT_PLACES = '[data-message-id], aside, [role="complementary"], [aria-label="Chat messages" i], [aria-label="In-call messages" i]'

const LOOK_EVERY_MS = 100

/** Settles when each line shows: `isTaken` knows of those that the meeting itself has told back. */
export async function write(tab: Tab, text: string, isTaken: (line: string) => boolean): Promise<void> {
  await openChat(tab)
  for (const line of linesOf(text)) {
    const written = (await tab.fill('composer', line)) && (await tab.pressEnter('composer'))
    if (!written) throw new Error('The chat of the meeting did not let the bot write')
    await untilShown(tab, line, isTaken)
  }
}

async function openChat(tab: Tab): Promise<void> {
  await tab.wakeToolbar()
  if ((await tab.look()).visible.has('composer')) return
  await press(tab, 'chat', 'the button of the chat')
  const opened = await tab.until(({ visible }) => visible.has('composer'), SHOWN_WITHIN_MS)
  if (!opened) throw new Error('The chat of the meeting takes no messages: it has no field for them')
}

async function untilShown(tab: Tab, line: string, isTaken: (line: string) => boolean): Promise<void> {
  const signal = AbortSignal.timeout(SHOWN_WITHIN_MS)
  while (!isTaken(line) && !(await tab.shows(CHAT_PLACES, line))) {
    if (signal.aborted) throw new Error('The chat of the meeting did not take the message')
    await pause(signal, LOOK_EVERY_MS)
  }
}

/** Meet's chat takes messages of limited length; a longer one goes as several, broken between words where that is possible. */
export function linesOf(text: string): readonly string[] {
  const lines: string[] = []
  let rest = text.trim()
  while (rest.length > LONGEST_LINE) {
    const space = rest.slice(0, LONGEST_LINE + 1).search(/\s\S*$/)
    const cut = space > 0 ? space : wholeCharacters(rest, LONGEST_LINE)
    lines.push(rest.slice(0, cut).trimEnd())
    rest = rest.slice(cut).trimStart()
  }
  return rest === '' ? lines : [...lines, rest]
}

/** Half a character is none. */
function wholeCharacters(text: string, length: number): number {
  return /[\uD800-\uDBFF]/.test(text[length - 1] ?? '') ? length - 1 : length
}
