// Batches calls that arrive at about the same time.

export interface BatchOptions {
  /** Maximum number of calls in a batch. */
  max: number
  /** Maximum number of concurrent batches. */
  atOnce: number
}

/**
 * A call waits for a free batch and then runs with all calls that arrived meanwhile. A quiet server adds no latency, a
 * busy one runs one statement for many calls. `work` returns results in the order of its items; when it throws, all
 * calls of the batch fail.
 */
export function createBatcher<In, Out>(
  work: (items: In[]) => Promise<readonly Out[]>,
  { max, atOnce }: BatchOptions,
): (item: In) => Promise<Out> {
  const waiting: { item: In; resolve: (answer: Out) => void; reject: (error: unknown) => void }[] = []
  let running = 0
  const start = () => {
    if (running >= atOnce || waiting.length === 0) return
    running += 1
    // Include all calls of this event loop tick.
    setImmediate(async () => {
      const batch = waiting.splice(0, max)
      try {
        const answers = batch.length > 0 ? await work(batch.map((call) => call.item)) : []
        for (const [index, call] of batch.entries()) call.resolve(answers[index]!)
      } catch (error) {
        for (const call of batch) call.reject(error)
      } finally {
        running -= 1
        start()
      }
    })
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      start()
    })
}
