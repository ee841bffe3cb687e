// Frees a handle after its use. A handle keeps its element in memory, even after the page has removed the element.
import type { ElementHandle } from 'playwright-core'

export async function withElement<Value>(element: ElementHandle, use: (element: ElementHandle) => Promise<Value>): Promise<Value> {
  try {
    return await use(element)
  } finally {
    // The page may have navigated away.
    element.dispose().catch(() => undefined)
  }
}
