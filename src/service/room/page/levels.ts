/// <reference lib="dom" />
// Who is speaking: asks every connection how loud it is, and holds the answer a little so that the ring does not flicker.
import type { Mesh } from './mesh.ts'

const ASK_MS = 200
const HOLD_MS = 800
const AUDIBLE = 0.015

/** Tells the ids of those who are heard whenever they change. `self` is null while nobody speaks for us. Answers with a stop. */
export function watchLevels(mesh: Mesh, self: () => string | null, onChange: (speaking: readonly string[]) => void): () => void {
  const heardAt = new Map<string, number>()
  let last = ''

  const ask = async (): Promise<void> => {
    const now = performance.now()
    for (const id of await heardNow(mesh, self())) heardAt.set(id, now)
    for (const [id, at] of heardAt) if (now - at > HOLD_MS) heardAt.delete(id)
    const speaking = [...heardAt.keys()].toSorted()
    if (speaking.join() === last) return
    last = speaking.join()
    onChange(speaking)
  }

  const timer = setInterval(() => ask().catch(() => undefined), ASK_MS) // A connection may close while it is asked.
  return () => clearInterval(timer)
}

async function heardNow(mesh: Mesh, self: string | null): Promise<string[]> {
  const others = mesh.peers.filter((it) => it.level > AUDIBLE).map((it) => it.person)
  const own = self ? ((await mesh.peers[0]?.ownLevel()) ?? 0) : 0
  return self && own > AUDIBLE ? [...others, self] : others
}
