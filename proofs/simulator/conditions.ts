import type { Bound, Entry } from './flow-edits.ts'

// Evaluates conditions independently, so that the engine is not checked against its own code.

/** Facts of a cart that conditions use. */
export interface CartFacts {
  items: readonly { quantity: number }[]
  /** Minor units. */
  value: number
  hasPhone: boolean
}

export function isMet(bound: Bound, { items, value, hasPhone }: CartFacts): boolean {
  const pieces = items.reduce((sum, { quantity }) => sum + quantity, 0)
  switch (bound.fact) {
    case 'items':
      return bound.is === 'at_least' ? pieces >= bound.count : pieces <= bound.count
    case 'value':
      return bound.is === 'above' ? value > bound.amount * 100 : value < bound.amount * 100
    case 'phone':
      return hasPhone === (bound.is === 'present')
  }
}

/** null: every cart matches. */
export function isMatch(entry: Entry | null, cart: CartFacts): boolean {
  if (!entry) return true
  const found = entry.bounds.map((bound) => isMet(bound, cart))
  return entry.match === 'all' ? !found.includes(false) : found.includes(true)
}

export const describeBound = (bound: Bound): string => Object.values(bound).join(' ')
