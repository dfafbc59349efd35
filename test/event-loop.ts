/** Counts turns of the event loop that other tasks get during some work. */
export function countLoopIterations(): { readonly count: number; stop(): number } {
  let count = 0
  let isOver = false
  const next = () => {
    count++
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  return {
    get count() {
      return count
    },
    stop() {
      isOver = true
      return count
    },
  }
}
