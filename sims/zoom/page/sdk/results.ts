// The results that functions of the SDK pass to their callbacks.

type Result = {
  readonly method: string
  readonly status: boolean
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly result: unknown
}

export type Callbacks = { readonly success?: (result: Result) => void; readonly error?: (result: Result) => void }

const FAIL = 1

export function succeed({ success }: Callbacks, method: string, result: unknown = null): void {
  success?.({ method, status: true, errorCode: 0, errorMessage: null, result })
}

export function fail({ error }: Callbacks, method: string, errorMessage: string, errorCode = FAIL): void {
  error?.({ method, status: false, errorCode, errorMessage, result: null })
}
