import { createSeededRandom } from './random.ts'

// How many messages a worker claims together. Few, so that the next batch is claimed, judged and prepared while the one before it leaves, though
// hardly more than three people are ever due. Thrown with dice of their own, so that all else of a history stays what it was.

const WEIGHTS = { 2: 4, 3: 1, 5: 1, 100: 4 }
const DICE = 0x3_fd61

export const drawBatchSize = (seed: number): number => Number(createSeededRandom(seed ^ DICE).weighted(WEIGHTS))
