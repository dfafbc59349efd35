// Which stores rest while there are more than the plan has room for (decision 85). Pure.

export interface Fitted {
  id: string
  restsFirst: boolean
  connectedAt: Date
}

/** The ids of those that rest: first those the owner has chosen, then those that came last. A limit of -1 has room for all. */
export function restingOf(stores: readonly Fitted[], limit: number): Set<string> {
  if (limit < 0) return new Set()
  const byStay = stores.toSorted(
    (a, b) =>
      Number(a.restsFirst) - Number(b.restsFirst) ||
      a.connectedAt.getTime() - b.connectedAt.getTime() ||
      (a.id < b.id ? -1 : 1),
  )
  return new Set(byStay.slice(limit).map(({ id }) => id))
}
