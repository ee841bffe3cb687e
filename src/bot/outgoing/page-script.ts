// The code of page/, as one script for the meeting's page.
import { pageText } from '../page-text.ts'

const FILES = ['page/parts.ts', 'page/microphone.ts', 'page/frames.ts', 'page/camera.ts', 'page/devices.ts', 'page/start.ts']

/** One classic script, all of it inside a function. `name` is that of the global by which we reach it. */
export function outgoingScript(name: string): string {
  return `(() => {${pageText(import.meta.url, FILES)}\nstartOutgoing(${JSON.stringify(name)})\n})()`
}
