import { defineConfig } from 'vitest/config'

/** Stories without a browser. */
const PLAIN_FLOWS =
  'test/flows/{calendar-edits,calendar-load,calendar-survives,crash,deliveries,media,media-service,media-survives,start-and-stop,transcription-survives,webhook-*}.test.ts'

export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    reporters: ['default', './test/helpers/closing-line.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'plain',
          include: ['src/**/*.test.ts', 'test/contracts/**/*.test.ts', PLAIN_FLOWS],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'meetings',
          include: ['test/flows/**/*.test.ts'],
          exclude: [PLAIN_FLOWS],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // Media is judged by its timing, and two browsers at once on two cores would be judged for being slow.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
