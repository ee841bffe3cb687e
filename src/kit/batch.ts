// Batches lookups by key.

/** Collects the keys requested within one turn of the event loop, and loads them in one call. */
export function batch<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  let open: { readonly keys: Set<Key>; readonly values: Promise<ReadonlyMap<Key, Value>> } | null = null

  function start() {
    const keys = new Set<Key>()
    const turn = new Promise<void>((resolve) => setImmediate(resolve))
    const values = turn.then(() => {
      open = null
      return load([...keys])
    })
    return { keys, values }
  }

  return async (key) => {
    open ??= start()
    open.keys.add(key)
    return (await open.values).get(key)
  }
}
