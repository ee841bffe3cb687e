/** Null if it throws. Only for parsers and constructors, which throw on bad input and for no other reason. */
export function orNull<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}
