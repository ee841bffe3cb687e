/// <reference lib="dom" />
// Detects speaking people by polling the audio level of every connection. A hold time keeps the ring from flickering.
import type { Mesh } from './mesh.ts'

const ASK_MS = 200
const HOLD_MS = 800
const AUDIBLE = 0.015

/** Calls back with the ids of the speaking people whenever they change. `self` is null while we are muted. Returns a stop function. */
export function watchLevels(mesh: Mesh, self: () => string | null, onChange: (speaking: readonly string[]) => void): () => void {
  const lastAudioAt = new Map<string, number>()
  let last = ''

  const ask = async (): Promise<void> => {
    const now = performance.now()
    for (const id of await speakingNow(mesh, self())) lastAudioAt.set(id, now)
    for (const [id, at] of lastAudioAt) if (now - at > HOLD_MS) lastAudioAt.delete(id)
    const speaking = [...lastAudioAt.keys()].toSorted()
    if (speaking.join() === last) return
    last = speaking.join()
    onChange(speaking)
  }

  const timer = setInterval(() => ask().catch(() => undefined), ASK_MS) // A connection may close during the request.
  return () => clearInterval(timer)
}

async function speakingNow(mesh: Mesh, self: string | null): Promise<string[]> {
  const others = mesh.peers.filter((it) => it.level > AUDIBLE).map((it) => it.person)
  const own = self ? ((await mesh.peers[0]?.ownLevel()) ?? 0) : 0
  return self && own > AUDIBLE ? [...others, self] : others
}
