// Microsoft Teams' messages to its own page, decoded.
import type { ClientMessage } from '../web-client/messages.ts'
import type { WebClient } from '../web-client/web-client.ts'

/** Nothing of its traffic is read yet: participants are read off the page. */
export const LISTENS: WebClient['listens'] = null

export const READERS: Readonly<Record<string, (bytes: Uint8Array) => ClientMessage | null>> = {}
