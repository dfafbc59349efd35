// Gathers calls that come at about the same time into one.

export interface Gathering {
  /** Calls in one batch, at most. */
  most: number
  /** Batches under way at once. */
  atOnce: number
}

/**
 * A call waits until a batch before it is through, then goes with all that came meanwhile: a quiet moment costs a call no time, a
 * busy one makes one statement of many. `work` answers in the order of its items; when it fails, all of its calls do.
 */
export function gather<In, Out>(
  work: (items: In[]) => Promise<readonly Out[]>,
  { most, atOnce }: Gathering,
): (item: In) => Promise<Out> {
  const waiting: { item: In; resolve: (answer: Out) => void; reject: (error: unknown) => void }[] = []
  let underWay = 0
  const start = () => {
    if (underWay >= atOnce || waiting.length === 0) return
    underWay += 1
    // All that this turn of the event loop still brings goes along.
    setImmediate(async () => {
      const batch = waiting.splice(0, most)
      try {
        const answers = batch.length > 0 ? await work(batch.map((call) => call.item)) : []
        for (const [index, call] of batch.entries()) call.resolve(answers[index]!)
      } catch (error) {
        for (const call of batch) call.reject(error)
      } finally {
        underWay -= 1
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
