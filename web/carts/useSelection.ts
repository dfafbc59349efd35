import { useState } from 'react'
import type { CartView } from '../../shared/carts.ts'
import type { Selection } from './sending.ts'

/** Selection of carts across pages, or of all matches of the filter. A change of `filter` clears it. */
export function useSelection(filter: string) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, CartView>>(new Map())
  const [isAll, setAll] = useState(false)
  const [lastFilter, setLastFilter] = useState(filter)
  const clear = () => {
    setChosen(new Map())
    setAll(false)
  }
  if (filter !== lastFilter) {
    setLastFilter(filter)
    clear()
  }
  return {
    isAll,
    chosen: [...chosen.values()],
    isSelected: (cart: CartView) => isAll || chosen.has(cart.id),
    /** `page`: the ids shown. Deselecting one after "all" keeps the others of the page. */
    select: (carts: CartView[], isSelected: boolean, page: CartView[]) => {
      const next = new Map(isAll ? page.map((cart) => [cart.id, cart]) : chosen)
      for (const cart of carts) {
        if (isSelected) next.set(cart.id, cart)
        else next.delete(cart.id)
      }
      setAll(false)
      setChosen(next)
    },
    selectAll: () => setAll(true),
    clear,
  }
}

export const toSelection = (
  { isAll, chosen }: Pick<ReturnType<typeof useSelection>, 'isAll' | 'chosen'>,
  all: Extract<Selection, { kind: 'matching' }>,
): Selection => (isAll ? all : { kind: 'carts', carts: chosen })
