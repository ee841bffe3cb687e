// How much of it a run does: `npm test` enough to see each rule broken, `npm run test:all` all of it.

export const RUNS_ALL = process.env.TEST_ALL === '1'

/** Where Zoom's Meeting SDK is, which no test fetches. */
export const HAS_ZOOM_SDK = Boolean(process.env.ZOOM_SDK_FOLDER)

export function scaled({ all, gate }: { readonly all: number; readonly gate: number }): number {
  return RUNS_ALL ? all : gate
}
