/** Removes the entries whose value is undefined. */
export function withoutUndefined<Name extends string>(
  values: { readonly [name in Name]?: string | undefined },
): { readonly [name in Name]?: string } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { readonly [name in Name]?: string }
}
