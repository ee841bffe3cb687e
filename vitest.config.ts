import { defineConfig } from 'vitest/config'

/** Stories without a browser, and one whose browser waits for a minute. */
const PLAIN_FLOWS =
  'test/flows/{bot-loses-its-meeting,calendar-edits,calendar-load,calendar-survives,crash,database-outage,deliveries,full-disk,media,media-service,media-survives,start-and-stop,start-checks,transcription-survives,webhook-*}.test.ts'

/** Stories with a browser that mostly wait, and are not judged by how the media came through: two at a time. */
const STORIES =
  'test/flows/{bot-leaves,calendar-to-room,frozen-database,google-meet-{captions,driver,joins,signed-in,sim},google-sign-in,two-nodes}.test.ts'

/** For whoever plays meetings on a machine that is busy with another one. */
const PATIENCE = { testTimeout: 30_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    reporters: ['default', './test/helpers/closing-line.ts'],
    // No file changes what another one imports, and importing the service costs a file more than most of its tests.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'plain',
          include: ['src/**/*.test.ts', 'test/contracts/**/*.test.ts', PLAIN_FLOWS],
          ...PATIENCE,
          // One more than there are cores in a small machine: many of them wait for a deadline.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'stories', include: [STORIES], ...PATIENCE, maxWorkers: 2, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: {
          name: 'meetings',
          include: ['test/flows/**/*.test.ts'],
          exclude: [PLAIN_FLOWS, STORIES],
          ...PATIENCE,
          // Media is judged by its timing, and two browsers at once on two cores would be judged for being slow.
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
