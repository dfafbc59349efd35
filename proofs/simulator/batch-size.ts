import { createSeededRandom } from './random.ts'

// Number of messages a worker claims together. Small numbers make the next batch overlap with the sends of the previous
// one, although hardly more than three people have a due message. Uses a random stream of its own, so that the rest of
// a scenario stays the same.

const WEIGHTS = { 2: 4, 3: 1, 5: 1, 100: 4 }
const DICE = 0x3_fd61

export const drawBatchSize = (seed: number): number => Number(createSeededRandom(seed ^ DICE).weighted(WEIGHTS))
