// The size of a run: `npm test` does enough to see each rule broken, `npm run test:all` does everything.

export const RUNS_ALL = process.env.TEST_ALL === '1'

/** The folder of Zoom's Meeting SDK, which no test fetches. */
export const HAS_ZOOM_SDK = Boolean(process.env.ZOOM_SDK_FOLDER)

/** A folder with an earlier release, ready to start. */
export const PREVIOUS_RELEASE = process.env.PREVIOUS_RELEASE

export function scaled({ all, gate }: { readonly all: number; readonly gate: number }): number {
  return RUNS_ALL ? all : gate
}
