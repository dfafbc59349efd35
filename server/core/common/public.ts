// What other rooms use: errors, time, secrets.

export { cleanPersonName, hasAddress, removeAddresses, removeLinks } from './addresses-in-text.ts'
export { createBatcher } from './batcher.ts'
export { chunked } from './chunks.ts'
export {
  createSemaphore,
  createWorkerSlots,
  keepSlot,
  type ReleaseSlot,
  releaseForAnswers,
  releaseForPages,
  type WorkerSlots,
} from './concurrency.ts'
export { AppError, requireFound } from './errors.ts'
export { createId, deriveId } from './ids.ts'
export { createLogger } from './logger.ts'
export { createSecrets, createToken, hashToken, isSameSecret, type Secrets } from './secrets.ts'
export { onShutdown } from './shutdown.ts'
export { findQuietEnd, toInstant, validZone } from './time.ts'
export { chooseZone, listZones, type Place } from './zones.ts'
