/** Places on each wire. Few, so that a batch of three people already takes two rounds (D10). */
export const POOL_SIZE = 2
