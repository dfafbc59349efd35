import { setImmediate as nextTurn } from 'node:timers/promises'

// Long work on the main thread, in pieces of a few milliseconds. Whatever else the server answers needs several turns of the event loop,
// and waits for one piece in each of them.

/** A list in pieces; between two of them others have their turn. */
export async function* inPieces<T>(all: readonly T[], size: number): AsyncGenerator<T[]> {
  for (let start = 0; start < all.length; start += size) {
    if (start > 0) await nextTurn()
    yield all.slice(start, start + size)
  }
}
