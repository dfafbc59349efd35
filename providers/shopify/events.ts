// Queues webhooks in the transaction of the change.
import type { Faults } from './faults.ts'
import type { Shop } from './shop.ts'
import { queueDeliveries } from './webhooks.ts'

export interface Desk {
  shop: Shop
  faults: Faults
}

export function announce({ shop, faults }: Desk, topic: string, body: unknown) {
  const copies = faults.copiesOf(topic)
  if (copies > 0) queueDeliveries(shop, { topic, body }, copies)
}
