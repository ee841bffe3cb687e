/// <reference lib="dom" />
// Files that arrive in the page in base64 parts: the page's security policy may forbid every other way.

export class Parts {
  readonly #byFile = new Map<string, Uint8Array<ArrayBuffer>[]>()

  add(file: string, base64: string): void {
    const parts = this.#byFile.get(file) ?? []
    parts.push(bytesOf(base64))
    this.#byFile.set(file, parts)
  }

  /** Returns the whole file and drops it here. */
  take(file: string): Blob {
    const parts = this.#byFile.get(file) ?? []
    this.#byFile.delete(file)
    return new Blob(parts)
  }
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const letters = atob(base64)
  const bytes = new Uint8Array(letters.length)
  for (let index = 0; index < letters.length; index++) bytes[index] = letters.charCodeAt(index)
  return bytes
}
