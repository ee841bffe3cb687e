// The part of the Web Meeting SDK that the page uses. Any field of a payload may be missing.

type Callbacks = { readonly success?: (answer: unknown) => void; readonly error?: (answer: unknown) => void }

export type ZoomMtg = {
  setZoomJSLib(path: string, folder: string): void
  preLoadWasm(): void
  prepareWebSDK(): void
  readonly i18n: { load(language: string): unknown }
  init(options: Callbacks & Readonly<Record<string, unknown>>): void
  join(options: Callbacks & Readonly<Record<string, unknown>>): void
  inMeetingServiceListener(event: string, callback: (data: unknown) => void): void
  getAttendeeslist(options: Callbacks): void
  getCurrentUser(options: Callbacks): void
  sendChat(options: Callbacks & { readonly message: string; readonly userId: number }): void
  mediaCapture(options: Callbacks & { readonly record: 'start' | 'pause' | 'stop' }): void
  mediaCapturePermission(options: Callbacks & { readonly operate: 'request' }): void
  leaveMeeting(options: Callbacks): void
}

export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (inner === null || inner === undefined ? undefined : Reflect.get(Object(inner), name)),
    value,
  )
}

/** Ids and codes are numbers or text. */
export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path)
  const number = typeof found === 'string' && found !== '' ? Number(found) : found
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
