import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Stories start real processes; on a busy two-core machine a start alone can take seconds.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Stories wait for processes more than they compute.
    maxWorkers: 4,
  },
});
