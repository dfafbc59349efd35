/**
 * Of sw.js. A shop that has copied the file is asked to copy it again when this is raised: with each change of the worker that shops
 * should have (`storefront/push-worker.test.ts` notices one that was forgotten). A worker that does not say has none: 0.
 */
export const WORKER_VERSION = 1
