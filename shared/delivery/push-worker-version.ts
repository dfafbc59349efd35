/**
 * Version of sw.js. Raise it with each change that shops should have: shops with their own copy are then asked to
 * update it (`storefront/push-worker.test.ts` detects a missing bump). A worker that reports none counts as 0.
 */
export const WORKER_VERSION = 1
