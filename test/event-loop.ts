/** Counts turns of the event loop that other tasks get during some work. */
export function countLoopIterations(): { readonly count: number; stop(): number } {
  let count = 0
  let isOver = false
  const countTurn = () => {
    count++
    if (!isOver) setImmediate(countTurn)
  }
  setImmediate(countTurn)
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
