// Reordering a list by dragging or arrow keys. Pure.

export function moveItem<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.filter((_, index) => index !== from)
  return [...rest.slice(0, to), items[from]!, ...rest.slice(to)]
}

/** Drop index for an item held at this height; `middles`: centres of all items, top to bottom. */
export const findDropIndex = (middles: readonly number[], dragged: number, y: number): number =>
  middles.filter((middle, index) => index !== dragged && middle < y).length

/** Target index of a key; null for other keys. The same index: it cannot move further. */
export function findKeyIndex(key: string, from: number, count: number): number | null {
  const target = { ArrowUp: from - 1, ArrowDown: from + 1, Home: 0, End: count - 1 }[key]
  return target === undefined ? null : Math.min(count - 1, Math.max(0, target))
}
