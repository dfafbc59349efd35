import { openBrowser } from '../e2e/browser.ts'

// Before the first file of a worker: what it has open from here on, `test/each-file.ts` does not count as left behind.
await openBrowser()
