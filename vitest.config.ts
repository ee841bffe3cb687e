import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { HAS_ZOOM_SDK, PREVIOUS_RELEASE, RUNS_ALL } from './test/helpers/scale.ts'
import { LongestFirst } from './test/longest-first.ts'
import { isProven, PARTS } from './test/parts.ts'

const proven = RUNS_ALL ? [] : Object.keys(PARTS).filter(isProven)
if (proven.length > 0) console.log(`Unchanged since their suites passed, so not run (npm run test:all runs them): ${proven.join(', ')}`)

/** The real SDK of Zoom, which only operators may fetch. `npm run test:zoom-sdk` runs its suites. */
const zoomSdk: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'zoom-sdk', include: ['test/zoom-sdk/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
}

/** Processes of two releases at once. `npm run test:upgrade` runs it before a release: a clone need not have the one before. */
const upgrade: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'upgrade', include: ['test/upgrade/**/*.test.ts'], testTimeout: 600_000, hookTimeout: 60_000 },
}

/** Longer than a service may take to start (`startServiceProcess`), on a machine that is busy with other suites. */
const PATIENCE = { testTimeout: 120_000, hookTimeout: 120_000 }

export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    // Tests that load ONNX Runtime themselves send nothing either.
    env: { ORT_DISABLE_TELEMETRY: '1' },
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/helpers/run-summary.ts'],
    // No file changes what another one imports, and importing the service costs a file more than most of its tests.
    isolate: false,
    exclude: ['**/node_modules/**', ...proven.map((part) => `test/*/${part}/**`)],
    projects: [
      {
        extends: true,
        test: {
          name: 'plain',
          include: ['{src,web/src,scripts}/**/*.test.ts', 'test/{contracts,processes}/**/*.test.ts'],
          ...PATIENCE,
          // One more than there are cores in a small machine: many tests wait for a deadline.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'stories',
          include: ['test/stories/**/*.test.ts'],
          ...PATIENCE,
          // A browser, but nothing is judged by the timing of its media. Two of them keep two cores busy.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'meetings',
          include: ['test/meetings/**/*.test.ts'],
          ...PATIENCE,
          // Media is judged by its timing, and a second browser on two cores would slow it down.
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      ...(HAS_ZOOM_SDK ? [zoomSdk] : []),
      ...(PREVIOUS_RELEASE ? [upgrade] : []),
    ],
  },
})
