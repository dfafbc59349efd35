/** Counts the turns others get while something is worked on. */
export function countTurns(): { readonly count: number; stop(): number } {
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
