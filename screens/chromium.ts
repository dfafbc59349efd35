import { openBrowser } from '../e2e/browser.ts'

// Loaded before a worker's first file, so `test/leak-check.ts` does not report its resources as leaks.
await openBrowser()
