// Tells subscriptions what happened, in the transaction in which it did.
import type { Faults } from './faults.ts'
import type { Shop } from './shop.ts'
import { queue } from './webhooks.ts'

export interface Desk {
  shop: Shop
  faults: Faults
}

export function announce({ shop, faults }: Desk, topic: string, body: unknown) {
  const copies = faults.copiesOf(topic)
  if (copies > 0) queue(shop, { topic, body }, copies)
}
