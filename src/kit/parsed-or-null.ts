import { orNull } from './or-null.ts'

/** Null if the text is not JSON. */
export const parsedOrNull = (text: string): unknown => orNull((): unknown => JSON.parse(text))
