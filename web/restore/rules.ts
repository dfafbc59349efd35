import type { z } from 'zod'
import type { ItemOutcome } from '../../shared/restore.ts'

// Words of the shopper's pages. Pure.

type Outcome = z.infer<typeof ItemOutcome>

/** What became of an item between leaving and coming back; null when nothing did. */
export function outcomeText(outcome: Outcome, quantity: number): string | null {
  switch (outcome) {
    case 'ok':
      return null
    case 'quantity_clamped':
      return quantity === 1
        ? 'Only 1 is left, so we put 1 in your cart.'
        : `Only ${quantity} are left, so we put ${quantity} in your cart.`
    case 'price_changed':
      return 'The price has changed since.'
    case 'gone':
      return 'No longer available, so it is not in your cart.'
  }
}
