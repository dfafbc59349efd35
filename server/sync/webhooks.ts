import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { type Db, type StoreDb, transact } from '../core/db.ts'
import { AppError, found } from '../core/errors.ts'
import { randomToken } from '../core/secrets.ts'
import { storeByCaptureKey } from '../core/system.ts'
import type { Deps } from '../deps.ts'
import type { StoreEvent } from '../platforms/event.ts'
import type { PlatformName, RawDelivery, StoreClient, WebhookSubscription } from '../platforms/platform.ts'
import { platformOf } from '../platforms/registry.ts'
import { StoreProblem } from '../platforms/store-problem.ts'
import { storeAccess } from '../stores/access.ts'
import { readStore } from '../stores/store.ts'
import { orderJob, type webhooksJob } from './jobs.ts'
import { runSyncJob } from './sync-jobs.ts'
import * as sql from './webhook-sql.ts'

// Webhooks: they make things faster and are never relied upon. Subscribed where the store can reach us, checked daily (Y3);
// a delivery is verified on its raw bytes, kept once, and answered; the work is a job's (Y1).

/** For connecting, disconnecting and the doctor. */
export { forgetWebhooks, listWebhooks, markForRenewal } from './webhook-sql.ts'

const CLEAN_UP_LIMIT_MS = 5_000

interface Hook {
  topic: string
  encrypted_secret: Buffer
}

const contextOf = (storeId: string, topic: string) => `webhook:${storeId}:${topic}`

/** What the delivery's address says. */
interface From {
  platform: PlatformName
  storeKey: string
}

interface Delivered {
  platform: PlatformName
  delivery: RawDelivery
}

/** Takes one delivery. Throws `unauthenticated`, without a word on why, for what is not provably from that store. */
export async function receiveDelivery(deps: Deps, from: From, delivery: RawDelivery): Promise<void> {
  const { platform, storeKey } = from
  const known = storeKey.includes('\0') ? undefined : await storeByCaptureKey(deps.db, storeKey)
  if (!known?.is_active || known.platform !== platform) throw refusal()
  const store = { storeId: known.id, db: deps.db }
  const { event, topic } = verify(deps, store, await sql.listWebhooks(store), { platform, delivery })
  if (event.kind === 'ping') return
  const now = deps.now()
  await transact(store, async (tx) => {
    if (topic) await sql.markDelivery(tx, topic, now)
    const isNew = await sql.insertEvent(tx, { key: event.key, topic: event.topic, now })
    const orderId = orderOf(event)
    if (!isNew || !orderId) return
    await deps.jobs.enqueue(tx.db, orderJob, { storeId: store.storeId, orderId }, `${store.storeId}:${orderId}`)
  })
}

/** Any of the store's secrets may have signed it; a ping comes while its webhook is still being made, and is not signed. */
function verify(deps: Deps, store: StoreDb<Db>, hooks: Hook[], { platform, delivery }: Delivered) {
  const { readDelivery } = platformOf(platform)
  for (const hook of hooks) {
    const secret = deps.secrets.open(hook.encrypted_secret, contextOf(store.storeId, hook.topic))
    const event = readDelivery(delivery, secret)
    if (event) return { event, topic: hook.topic }
  }
  const event = readDelivery(delivery, '')
  if (event?.kind === 'ping') return { event, topic: null }
  throw refusal()
}

function orderOf(event: StoreEvent): string | null {
  if (event.kind === 'order') return event.order.orderId
  return event.kind === 'gone' ? event.orderId : null
}

const refusal = () => new AppError('unauthenticated', 'Not accepted.')

/** Job: what is missing, disabled, points elsewhere or was made with other keys is made anew, with a new secret. */
export async function ensureWebhooks(deps: Deps, { storeId }: z.infer<typeof webhooksJob.payload>): Promise<void> {
  await runSyncJob(deps, { storeId, stream: 'webhooks' }, async (run) => {
    const { store } = run
    const row = found(await readStore(store), 'Store')
    // The demo store is beside us and knows our address as its own neighbour's.
    if (!row.is_demo && !platformOf(row.platform).canDeliverTo(deps.config.publicUrl)) return { rowsSeen: 0 }
    if (!row.can_write) throw new StoreProblem('read_only_key')
    const client = await storeAccess(deps, store)
    const deliveryUrl = `${deps.config.publicUrl}/api/webhooks/${row.platform}/${row.capture_key}`
    const present = await client.webhooks()
    const kept = await sql.listWebhooks(store)
    const { webhookTopics } = platformOf(row.platform)
    for (const topic of webhookTopics) {
      const ours = kept.find((hook) => hook.topic === topic)
      await ensureTopic(deps, store, { client, topic, ours, deliveryUrl, present })
    }
    return { rowsSeen: webhookTopics.length }
  })
}

interface Wanted {
  client: StoreClient
  topic: string
  /** The subscription whose secret we hold. */
  ours: { webhook_id: string; status: string } | undefined
  deliveryUrl: string
  present: WebhookSubscription[]
}

async function ensureTopic(deps: Deps, store: StoreDb<Db>, wanted: Wanted): Promise<void> {
  const { client, topic, ours, deliveryUrl, present } = wanted
  const now = deps.now()
  const isOurs = ({ id }: WebhookSubscription) => id === ours?.webhook_id
  const isGood = (hook: WebhookSubscription) =>
    isOurs(hook) && hook.topic === topic && hook.status === 'active' && hook.deliveryUrl === deliveryUrl
  if (ours?.status !== sql.TO_RENEW && present.some(isGood)) {
    await sql.markChecked(store, topic, 'active', now)
    return
  }
  const secret = randomToken()
  const made = await client.createWebhook(topic, deliveryUrl, secret)
  const encryptedSecret = deps.secrets.seal(secret, contextOf(store.storeId, topic))
  await sql.saveWebhook(store, { topic, webhookId: made.id, encryptedSecret, status: made.status, now })
  // Subscriptions of ours whose secret is lost, and the disabled one, would only fail; other apps' are not touched.
  const stale = present.filter((hook) => hook.topic === topic && (isOurs(hook) || hook.deliveryUrl === deliveryUrl))
  for (const hook of stale) await client.deleteWebhook(hook.id)
}

/** Best effort: a store that is away or slow does not keep its owner from disconnecting it. Ours refuses deliveries by then. */
export async function removeWebhooks(deps: Deps, client: StoreClient, webhookIds: string[]): Promise<void> {
  const removal = Promise.allSettled(webhookIds.map((id) => client.deleteWebhook(id)))
  const finished = await Promise.race([removal, sleep(CLEAN_UP_LIMIT_MS, null, { ref: false })])
  const left = finished?.filter((each) => each.status === 'rejected').length ?? webhookIds.length
  if (left > 0) deps.log.warn({ left }, 'store.webhooks_left_behind')
}
