// Chooses the stores that rest if the plan has too little room (decision 85). Pure.

export interface StoreOrder {
  id: string
  restsFirst: boolean
  connectedAt: Date
}

/** Ids of resting stores: first those chosen by the owner, then the newest. A limit of -1 has room for all. */
export function chooseRestingStores(stores: readonly StoreOrder[], limit: number): Set<string> {
  if (limit < 0) return new Set()
  const byStay = stores.toSorted(
    (a, b) =>
      Number(a.restsFirst) - Number(b.restsFirst) ||
      a.connectedAt.getTime() - b.connectedAt.getTime() ||
      (a.id < b.id ? -1 : 1),
  )
  return new Set(byStay.slice(limit).map(({ id }) => id))
}
