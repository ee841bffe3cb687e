// How much of it a run does: `npm test` enough to see each rule broken, `npm run test:all` all of it.

export const RUNS_ALL = process.env.TEST_ALL === '1'

export function scaled({ all, gate }: { readonly all: number; readonly gate: number }): number {
  return RUNS_ALL ? all : gate
}
