import os from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './test/order.ts'
import { isEverythingTested, restingFiles } from './test/tier.ts'

const everywhere = {
  // What only `npm run test:all` has the time for.
  exclude: [
    ...configDefaults.exclude,
    ...(isEverythingTested ? [] : ['**/*.long.test.ts']),
    ...(process.env.FIREFOX_PATH ? [] : ['**/*.firefox.test.ts']),
    ...restingFiles,
  ],
  // One PostgreSQL and its template database per run; each file that needs a database gets a clone.
  globalSetup: ['test/global.ts'],
  testTimeout: 20_000,
  hookTimeout: 60_000,
  restoreMocks: true,
  unstubEnvs: true,
  // The default second is over on a busy machine before a transaction is.
  expect: { poll: { timeout: 10_000 } },
}

/** Of each project: `npm test` runs both side by side. */
const cores = Math.max(2, os.availableParallelism())

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
          maxWorkers: cores,
          include: ['{server,shared,web,storefront,demo,test,scripts}/**/*.test.{ts,tsx}'],
        },
      },
      {
        test: {
          ...everywhere,
          name: 'e2e',
          globalSetup: ['test/global.ts', 'e2e/app-instances.ts'],
          setupFiles: ['e2e/on-failure.ts'],
          isolate: false,
          include: ['e2e/**/*.test.ts'],
          maxWorkers: cores,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          // A house is started in them: `START_LIMIT_MS` of e2e/app-instance.ts.
          hookTimeout: 240_000,
        },
      },
    ],
  },
})
