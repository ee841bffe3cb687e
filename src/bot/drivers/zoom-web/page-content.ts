// Reads chat and caption lines from the page of Zoom's web client, once a second.
import type { WebClient } from '../web-client/web-client.ts'

export const GLOBALS: NonNullable<WebClient['globals']> = {
  chat: `[...document.querySelectorAll('#chat-list-content .new-chat-message__container')].map((it) => {
    const sender = it.querySelector('.chat-item__sender')
    return {
      userId: sender?.getAttribute('data-userid') ?? '',
      name: sender?.getAttribute('data-name') ?? '',
      text: it.querySelector('.chat-rtf-box__display')?.innerText ?? '',
    }
  })`,
  captions: `[...document.querySelectorAll('#live-transcription-subtitle .live-transcription-subtitle__item')].map((it) => it.innerText)`,
}
