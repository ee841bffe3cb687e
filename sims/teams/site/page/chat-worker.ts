/// <reference lib="webworker" />
// The worker with the connection to the chat service. A page sees only what the worker forwards.

type Order = { readonly address: string } | { readonly isAwake: boolean }

const held: Message[] = []
let isAwake = true

type Message = { readonly messageType: string }

function pass(message: Message): void {
  postMessage({ chatServiceBatchEvent: [{ message }] })
}

self.onmessage = ({ data }: MessageEvent<Order>) => {
  if ('isAwake' in data) {
    isAwake = data.isAwake
    if (isAwake) for (const message of held.splice(0)) pass(message)
    return
  }
  const source = new EventSource(data.address)
  source.onmessage = (event: MessageEvent<string>) => {
    const message = JSON.parse(event.data) as Message
    if (isAwake) return pass(message)
    held.push(message)
    console.debug(`chat: held ${message.messageType}`)
  }
}
