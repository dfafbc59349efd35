import { setImmediate as nextTurn } from 'node:timers/promises'

// Splits long work on the main thread into chunks of a few milliseconds. Other requests need several event loop ticks
// and wait for one chunk in each.

/** Iterates a list in chunks and yields to the event loop between them. */
export async function* chunked<T>(all: readonly T[], size: number): AsyncGenerator<T[]> {
  for (let start = 0; start < all.length; start += size) {
    if (start > 0) await nextTurn()
    yield all.slice(start, start + size)
  }
}
