import { openBrowser } from '../e2e/browser.ts'

// Loaded before a worker's first file, so `test/each-file.ts` does not report its resources as leaks.
await openBrowser()
