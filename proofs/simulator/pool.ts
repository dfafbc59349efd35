/** Connection slots of each channel. Few, so that a batch for three people takes two rounds (D10). */
export const POOL_SIZE = 2
