// A stream of server-sent events that stays open. EventSource reconnects only after an interruption, not after an error status.

const REOPEN_AFTER_MS = 2_000

type Listener = {
  onOpen(): void
  onMessage(data: string): void
  onError?(): void
  /** The answer was an error status: of the service, or of a proxy while the service restarts. */
  onRefused?(): void
}

export function openStream(url: string, listener: Listener): { close(): void } {
  let source: EventSource
  let reopening: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    source = new EventSource(url)
    source.onopen = () => listener.onOpen()
    source.onmessage = ({ data }) => listener.onMessage(data)
    source.onerror = () => {
      listener.onError?.()
      if (source.readyState !== EventSource.CLOSED) return
      listener.onRefused?.()
      reopening = setTimeout(open, REOPEN_AFTER_MS)
    }
  }
  open()
  return {
    close() {
      clearTimeout(reopening)
      source.close()
    },
  }
}
