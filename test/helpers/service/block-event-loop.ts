// Blocks the event loop of a service process, through its debugger.
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { until } from '../until.ts'

/** `debuggerPort`: the service was started with `--inspect=127.0.0.1:<port>`. Resolves when the loop is free again. */
export async function blockEventLoop(debuggerPort: number, forMs: number): Promise<void> {
  const targets = await (await fetch(`http://127.0.0.1:${debuggerPort}/json/list`)).json()
  const socket = new WebSocket((targets as [{ webSocketDebuggerUrl: string }])[0].webSocketDebuggerUrl)
  await once(socket, 'open')
  const expression = `{ const end = performance.now() + ${forMs}; while (performance.now() < end); }`
  let isFree = false
  socket.on('message', () => {
    isFree = true
  })
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }))
  await until('the event loop is free again', () => isFree, forMs + 30_000)
  socket.close()
}
