import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { type Db, type StoreDb, transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError, found } from '../errors.ts'
import type { RawDelivery, StoreClient, StoreEvent, WebhookSubscription } from '../platforms/platform.ts'
import { StoreProblem } from '../platforms/store-problem.ts'
import { readDelivery } from '../platforms/woocommerce-webhooks.ts'
import { randomToken } from '../secrets.ts'
import { storeByCaptureKey } from '../system.ts'
import { storeAccess } from './access.ts'
import { orderJob, type webhooksJob } from './jobs.ts'
import { canReach } from './rules.ts'
import { runStream } from './runs.ts'
import { readStore } from './sql.ts'
import * as sql from './webhook-sql.ts'

// Webhooks: they make things faster and are never relied upon. Subscribed where the store can reach us, checked daily (Y3);
// a delivery is verified on its raw bytes, kept once, and answered; the work is a job's (Y1).

export const TOPICS = ['order.created', 'order.updated', 'order.deleted'] as const

const CLEAN_UP_LIMIT_MS = 5_000

interface Hook {
  topic: string
  sealed_secret: Buffer
}

const contextOf = (storeId: string, topic: string) => `webhook:${storeId}:${topic}`

/** Takes one delivery. Throws `unauthenticated`, without a word on why, for what is not provably from that store. */
export async function receiveDelivery(deps: Deps, storeKey: string, delivery: RawDelivery): Promise<void> {
  const known = storeKey.includes('\0') ? undefined : await storeByCaptureKey(deps.db, storeKey)
  if (!known?.is_active) throw refusal()
  const store = { storeId: known.id, db: deps.db }
  const { event, topic } = verify(deps, store, await sql.listWebhooks(store), delivery)
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
function verify(deps: Deps, store: StoreDb<Db>, hooks: Hook[], delivery: RawDelivery) {
  for (const hook of hooks) {
    const secret = deps.secrets.open(hook.sealed_secret, contextOf(store.storeId, hook.topic))
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

/** Job: what is missing, disabled or points elsewhere is made anew, with a new secret. */
export async function ensureWebhooks(deps: Deps, { storeId }: z.infer<typeof webhooksJob.payload>): Promise<void> {
  await runStream(deps, { storeId, stream: 'webhooks' }, async (run) => {
    const { store } = run
    const row = found(await readStore(store), 'Store')
    // The demo store is beside us and knows our address as its own neighbour's.
    if (!row.is_demo && !canReach(deps.config.publicUrl)) return { rowsSeen: 0 }
    if (!row.can_write) throw new StoreProblem('read_only_key')
    const client = await storeAccess(deps, store)
    const deliveryUrl = `${deps.config.publicUrl}/api/webhooks/${row.platform}/${row.capture_key}`
    const present = await client.webhooks()
    const kept = await sql.listWebhooks(store)
    for (const topic of TOPICS) {
      const ours = kept.find((hook) => hook.topic === topic)?.webhook_id
      await ensureTopic(deps, store, { client, topic, ours, deliveryUrl, present })
    }
    return { rowsSeen: TOPICS.length }
  })
}

interface Wanted {
  client: StoreClient
  topic: string
  /** Id of the subscription whose secret we hold. */
  ours: string | undefined
  deliveryUrl: string
  present: WebhookSubscription[]
}

async function ensureTopic(deps: Deps, store: StoreDb<Db>, wanted: Wanted): Promise<void> {
  const { client, topic, ours, deliveryUrl, present } = wanted
  const now = deps.now()
  const isGood = (hook: WebhookSubscription) =>
    hook.id === ours && hook.topic === topic && hook.status === 'active' && hook.deliveryUrl === deliveryUrl
  if (present.some(isGood)) {
    await sql.markChecked(store, topic, 'active', now)
    return
  }
  const secret = randomToken()
  const made = await client.createWebhook(topic, deliveryUrl, secret)
  const sealedSecret = deps.secrets.seal(secret, contextOf(store.storeId, topic))
  await sql.saveWebhook(store, { topic, webhookId: made.id, sealedSecret, status: made.status, now })
  // Subscriptions of ours whose secret is lost, and the disabled one, would only fail; other apps' are not touched.
  const stale = present.filter((hook) => hook.topic === topic && (hook.id === ours || hook.deliveryUrl === deliveryUrl))
  for (const hook of stale) await client.deleteWebhook(hook.id)
}

/** Best effort: a store that is away or slow does not keep its owner from disconnecting it. Ours refuses deliveries by then. */
export async function removeWebhooks(deps: Deps, client: StoreClient, webhookIds: string[]): Promise<void> {
  const removal = Promise.allSettled(webhookIds.map((id) => client.deleteWebhook(id)))
  const finished = await Promise.race([removal, sleep(CLEAN_UP_LIMIT_MS, null, { ref: false })])
  const left = finished?.filter((each) => each.status === 'rejected').length ?? webhookIds.length
  if (left > 0) deps.log.warn({ left }, 'store.webhooks_left_behind')
}
