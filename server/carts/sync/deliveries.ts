import { capabilities, type PlatformName } from '../../../shared/platforms.ts'
import { recordCart } from '../carts/checkouts.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { storeByCaptureKey } from '../../core/db/system.ts'
import type { Deps } from '../../deps.ts'
import type { StoreEvent } from '../../platforms/platform/event.ts'
import type { RawDelivery } from '../../platforms/platform/platform.ts'
import { platformOf } from '../../platforms/registry/registry.ts'
import { deliverySecrets } from '../../access/stores/access.ts'
import { checkoutJob, customerJob, orderJob, privacyJob, productsJob, profileJob, uninstalledJob } from './jobs.ts'
import { sealRequest } from './privacy-requests.ts'
import * as sql from './webhook-sql.ts'
import { contextOf } from './webhooks.ts'

// What stores deliver: verified on its raw bytes, kept once, and answered; the work is a job's (Y1), which reads the record again by its
// id. Only a cart, which nobody can read again, is taken from the delivered body.

/** What the delivery's address says. */
interface From {
  platform: PlatformName
  storeKey: string
}

/** Takes one delivery. Throws `unauthenticated`, without a word on why, for what is not provably from that store. */
export async function receiveDelivery(deps: Deps, { platform, storeKey }: From, delivery: RawDelivery): Promise<void> {
  const known = storeKey.includes('\0') ? undefined : await storeByCaptureKey(deps.db, storeKey)
  if (!known?.is_active || known.platform !== platform) throw refusal()
  const store = { storeId: known.id, db: deps.db }
  const { event, topic } = await verify(deps, store, { platform, delivery })
  if (event.kind === 'ping') return
  const now = deps.now()
  // A cart is the same however often it is told; the delivery counts once it is kept.
  if (event.kind === 'cart') await recordCart(deps, store.storeId, event.cart)
  await transact(store, async (tx) => {
    if (topic) await sql.markDelivery(tx, topic, now)
    const isNew = await sql.insertEvent(tx, { key: event.key, topic: event.topic, now })
    if (isNew) await queueWork(deps, tx, event)
  })
}

interface Delivered {
  platform: PlatformName
  delivery: RawDelivery
}

/** Any of the store's secrets may have signed it; a ping comes while its webhook is still being made, and is not signed. */
async function verify(deps: Deps, store: StoreDb<Db>, { platform, delivery }: Delivered) {
  const { readDelivery } = platformOf(platform)
  for (const { secret, topic } of await secretsOf(deps, store, platform)) {
    const event = readDelivery(delivery, secret)
    if (event) return { event, topic: topic ?? (await topicOf(store, event)) }
  }
  const event = readDelivery(delivery, '')
  if (event?.kind === 'ping') return { event, topic: null }
  throw refusal()
}

/** The subscription a delivery is of: a platform may write its topic in another way there (`ORDERS_CREATE`, `orders/create`). */
async function topicOf(store: StoreDb<Db>, event: StoreEvent): Promise<string | null> {
  if (event.kind === 'ping') return null
  const plain = (topic: string) => topic.toLowerCase().replaceAll(/[^a-z]/g, '')
  const hooks = await sql.listWebhooks(store)
  return hooks.find(({ topic }) => plain(topic) === plain(event.topic))?.topic ?? null
}

/** `topic`: of the one subscription that has this secret. */
async function secretsOf(deps: Deps, store: StoreDb<Db>, platform: PlatformName) {
  if (capabilities[platform].webhooks === 'keys') {
    return (await deliverySecrets(deps, store)).map((secret) => ({ secret, topic: null }))
  }
  return (await sql.listWebhooks(store)).map(({ topic, encrypted_secret }) => ({
    secret: deps.secrets.open(encrypted_secret, contextOf(store.storeId, topic)),
    topic,
  }))
}

const refusal = () => new AppError('unauthenticated', 'Not accepted.')

async function queueWork(deps: Deps, tx: StoreTx, event: Exclude<StoreEvent, { kind: 'ping' }>): Promise<void> {
  const { storeId } = tx
  switch (event.kind) {
    case 'order':
    case 'gone': {
      const orderId = event.kind === 'order' ? event.order.orderId : event.orderId
      if (orderId) await deps.jobs.enqueue(tx.db, orderJob, { storeId, orderId }, `${storeId}:${orderId}`)
      return
    }
    case 'checkout': {
      const { checkoutId, checkoutToken, cartToken } = event
      const payload = { storeId, checkoutId, checkoutToken, cartToken }
      return deps.jobs.enqueue(tx.db, checkoutJob, payload, `${storeId}:${checkoutId}`)
    }
    case 'customer': {
      const { customerId } = event
      return deps.jobs.enqueue(tx.db, customerJob, { storeId, customerId }, `${storeId}:${customerId}`)
    }
    case 'product':
      return deps.jobs.enqueue(tx.db, productsJob, { storeId }, storeId)
    case 'scopes':
      return deps.jobs.enqueue(tx.db, profileJob, { storeId }, storeId)
    case 'uninstalled':
      return deps.jobs.enqueue(tx.db, uninstalledJob, { storeId }, storeId)
    case 'privacy':
      return deps.jobs.enqueue(
        tx.db,
        privacyJob,
        { storeId, sealed: sealRequest(deps, storeId, event) },
        event.key.slice(0, 200),
      )
  }
}
