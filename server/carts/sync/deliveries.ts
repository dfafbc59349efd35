import { capabilities, type PlatformName } from '../../../shared/platforms/platforms.ts'
import { readDeliverySecrets } from '../../access/stores/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type Db, findStoreByCaptureKey, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { RawDelivery, StoreEvent } from '../../platforms/platform/public.ts'
import { findPlatform } from '../../platforms/registry/public.ts'
import { recordCart } from '../carts/public.ts'
import { checkoutJob, customerJob, orderJob, privacyJob, productsJob, profileJob, uninstalledJob } from './jobs.ts'
import { sealRequest } from './privacy-requests.ts'
import * as sql from './webhook-sql.ts'
import { buildSecretContext } from './webhook-subscriptions.ts'

// Receives webhook deliveries: verified on the raw bytes, stored once and answered. A job then reads the record again
// by its id (Y1). Only a cart, which cannot be read again, is taken from the body.

/** Parts of the delivery URL. */
interface DeliverySource {
  platform: PlatformName
  storeKey: string
}

/** Accepts one delivery. Throws `unauthenticated`, without a reason, unless the store provably sent it. */
export async function receiveDelivery(
  deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'secrets'>,
  { platform, storeKey }: DeliverySource,
  delivery: RawDelivery,
): Promise<void> {
  const known = storeKey.includes('\0') ? undefined : await findStoreByCaptureKey(deps.db, storeKey)
  if (!known?.is_active || known.platform !== platform) throw createRefusal()
  const store = { storeId: known.id, db: deps.db }
  const { event, topic } = await verify(deps, store, { platform, delivery })
  if (event.kind === 'ping') return
  const now = deps.now()
  // Recording a cart is idempotent. The delivery counts once it is stored.
  if (event.kind === 'cart') await recordCart(deps, store, event.cart)
  await transact(store, async (tx) => {
    if (topic) await sql.markDelivery(tx, topic, now)
    const isNew = await sql.insertEvent(tx, { key: event.key, topic: event.topic, now })
    if (isNew) await queueWork(deps, tx, event)
  })
}

interface SourcedDelivery {
  platform: PlatformName
  delivery: RawDelivery
}

/** Any secret of the store may have signed. A ping arrives while its webhook is being created and is not signed. */
async function verify(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb<Db>,
  { platform, delivery }: SourcedDelivery,
) {
  const { readDelivery } = findPlatform(platform)
  for (const { secret, topic } of await readSecrets(deps, store, platform)) {
    const event = readDelivery(delivery, secret)
    if (event) return { event, topic: topic ?? (await findTopic(store, event)) }
  }
  const event = readDelivery(delivery, '')
  if (event?.kind === 'ping') return { event, topic: null }
  throw createRefusal()
}

/**
 * The topic of our subscription. A platform may spell it differently in deliveries (`ORDERS_CREATE`, `orders/create`).
 */
async function findTopic(store: StoreDb<Db>, event: StoreEvent): Promise<string | null> {
  if (event.kind === 'ping') return null
  const plain = (topic: string) => topic.toLowerCase().replaceAll(/[^a-z]/g, '')
  const hooks = await sql.listWebhooks(store)
  return hooks.find(({ topic }) => plain(topic) === plain(event.topic))?.topic ?? null
}

/** `topic`: the subscription of this secret, if it has its own. */
async function readSecrets(deps: Pick<Deps, 'now' | 'secrets'>, store: StoreDb<Db>, platform: PlatformName) {
  if (capabilities[platform].webhooks === 'keys') {
    return (await readDeliverySecrets(deps, store)).map((secret) => ({ secret, topic: null }))
  }
  return (await sql.listWebhooks(store)).map(({ topic, encrypted_secret }) => ({
    secret: deps.secrets.open(encrypted_secret, buildSecretContext(store.storeId, topic)),
    topic,
  }))
}

const createRefusal = () => new AppError('unauthenticated', 'Not accepted.')

async function queueWork(
  deps: Pick<Deps, 'jobs' | 'secrets'>,
  tx: StoreTx,
  event: Exclude<StoreEvent, { kind: 'ping' }>,
): Promise<void> {
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
