import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/order.ts'

const everywhere = {
  // One PostgreSQL and its template database per run; each file that needs a database gets a clone.
  globalSetup: ['test/global.ts'],
  testTimeout: 20_000,
  hookTimeout: 60_000,
  restoreMocks: true,
  unstubEnvs: true,
  // The default second is over on a busy machine before a transaction is.
  expect: { poll: { timeout: 10_000 } },
}

/** `--sequence.shuffle.files` is somebody's wish to have them in any other order. */
const isShuffled = process.argv.some((argument) => argument.startsWith('--sequence.shuffle'))

export default defineConfig({
  test: {
    ...(isShuffled ? {} : { sequence: { sequencer: LongestFirst } }),
    projects: [
      {
        test: {
          ...everywhere,
          name: 'unit',
          // The product's modules are loaded once per worker, not once per file: that was a third of the time.
          isolate: false,
          unstubGlobals: true,
          testTimeout: 60_000,
          maxWorkers: 2,
          include: ['{server,shared,web,storefront,demo,test,scripts}/**/*.test.{ts,tsx}'],
        },
      },
      // A browser mostly waits for the server it looks at: two journeys at a time.
      {
        test: {
          ...everywhere,
          name: 'e2e',
          globalSetup: ['test/global.ts', 'e2e/houses.ts'],
          setupFiles: ['e2e/on-failure.ts'],
          include: ['e2e/**/*.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
        },
      },
    ],
  },
})
