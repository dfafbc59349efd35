import os from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './test/file-order.ts'
import { SECTIONS } from './test/spec.ts'

const everywhere = {
  exclude: [...configDefaults.exclude],
  // Modules are loaded once per worker, not once per file: that was a third of the time.
  isolate: false,
  setupFiles: ['test/leak-check.ts'],
  restoreMocks: true,
  unstubEnvs: true,
  // Deadlines end what hangs, and nothing else: a busy machine takes ten times as long as a quiet one.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 30_000 } },
}

export default defineConfig({
  test: {
    reporters: ['default', './test/reporter.ts'],
    sequence: { sequencer: LongestFirst },
    tags: SECTIONS.map((name) => ({ name })),
    // Of all projects together: they share one pool.
    maxWorkers: os.availableParallelism(),
    projects: [
      {
        test: {
          ...everywhere,
          name: 'unit',
          // One PostgreSQL and its template database per run; each file that needs a database gets a clone.
          globalSetup: ['test/global.ts'],
          unstubGlobals: true,
          include: [
            '{server,shared,web,demo,providers,test,scripts}/**/*.test.{ts,tsx}',
            'proofs/{lift,simulator}/*.test.ts',
          ],
        },
      },
      {
        test: {
          ...everywhere,
          name: 'screens',
          setupFiles: ['screens/setup.ts', 'test/leak-check.ts'],
          include: ['{screens,storefront}/**/*.test.ts'],
        },
      },
      {
        test: {
          ...everywhere,
          name: 'journeys',
          globalSetup: ['e2e/setup.ts'],
          setupFiles: ['screens/chromium.ts', 'test/leak-check.ts', 'e2e/on-failure.ts'],
          include: ['e2e/**/*.test.ts'],
          testTimeout: 400_000,
          hookTimeout: 400_000,
          // What the server does once a minute is waited for.
          expect: { poll: { timeout: 110_000 } },
        },
      },
      {
        test: {
          ...everywhere,
          name: 'proofs',
          globalSetup: ['test/global.ts'],
          setupFiles: ['proofs/setup.ts', 'screens/chromium.ts', 'screens/setup.ts', 'test/leak-check.ts'],
          include: ['proofs/*.test.ts', 'proofs/{billing-life,plans}/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
})
