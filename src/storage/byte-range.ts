// Parses the HTTP Range header.

/** Both ends are inclusive. */
export type ByteRange = { readonly first: number; readonly last: number }

/** Null: the whole object. Multiple ranges, other units and invalid values are ignored, as RFC 9110 allows. */
export function rangeIn(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, from, to] = /^bytes=[ \t]*(\d*)[ \t]*-[ \t]*(\d*)[ \t]*$/i.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return null
  if (from === '') return within({ first: Math.max(0, size - Number(to)), last: size - 1 }, size)
  if (to !== '' && Number(to) < Number(from)) return null
  return within({ first: Number(from), last: to === '' ? size - 1 : Number(to) }, size)
}

function within({ first, last }: ByteRange, size: number): ByteRange | 'unsatisfiable' {
  return first < size ? { first, last: Math.min(last, size - 1) } : 'unsatisfiable'
}
