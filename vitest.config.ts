import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Only what hangs takes this long: on a machine that is busy with other things, a start alone can take seconds.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Stories wait for processes more than they compute.
    maxWorkers: 4,
  },
});
