// The order of a list that is changed by dragging or by the arrow keys. Pure.

export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.filter((_, index) => index !== from)
  return [...rest.slice(0, to), items[from]!, ...rest.slice(to)]
}

/** Where an item that is held at this height comes to lie: `middles` are those of all items, top to bottom. */
export const placeAt = (middles: readonly number[], dragged: number, y: number): number =>
  middles.filter((middle, index) => index !== dragged && middle < y).length

/** Where a key takes it; null: it is no key for that. The same place: it cannot go further. */
export function placeByKey(key: string, from: number, count: number): number | null {
  const wanted = { ArrowUp: from - 1, ArrowDown: from + 1, Home: 0, End: count - 1 }[key]
  return wanted === undefined ? null : Math.min(count - 1, Math.max(0, wanted))
}
