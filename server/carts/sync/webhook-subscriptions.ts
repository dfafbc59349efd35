import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { forgetPreviousKeys, openStoreClient, readStore } from '../../access/stores/public.ts'
import { createToken, keepSlot, type ReleaseSlot, requireFound } from '../../core/common/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type StoreClient, StoreProblem, type WebhookSubscription } from '../../platforms/platform/public.ts'
import { findPlatform } from '../../platforms/registry/public.ts'
import type { webhooksJob } from './jobs.ts'
import { isMissingPermission, runSyncJob } from './sync-jobs.ts'
import * as sql from './webhook-sql.ts'

// Webhooks make updates faster, but nothing relies on them. They are created if the store can reach us, and checked
// daily (Y3). Deliveries are handled in deliveries.ts.

const CLEAN_UP_LIMIT_MS = 5_000

export const buildSecretContext = (storeId: string, topic: string) => `webhook:${storeId}:${topic}`

/** Job: recreates webhooks that are missing, disabled, have another URL or older keys, each with a new secret. */
export async function ensureWebhooks(
  deps: Deps,
  { storeId }: z.infer<typeof webhooksJob.payload>,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<void> {
  await runSyncJob(deps, { storeId, stream: 'webhooks' }, async (run) => {
    const { store } = run
    const row = requireFound(await readStore(store), 'Store')
    // The demo store runs beside us and can reach a local URL.
    if (!row.is_demo && !findPlatform(row.platform).canDeliverTo(deps.config.publicUrl)) return { rowCount: 0 }
    const isSignedByKeys = capabilities[row.platform].webhooks === 'keys'
    if (!row.can_write && !isSignedByKeys) throw new StoreProblem('read_only_key')
    await forgetPreviousKeys(store, deps.now())
    const client = await openStoreClient(deps, store, releaseSlot)
    const deliveryUrl = `${deps.config.publicUrl}/api/webhooks/${row.platform}/${row.capture_key}`
    const present = await client.webhooks()
    const stored = await sql.listWebhooks(store)
    const { webhookTopics } = findPlatform(row.platform)
    for (const topic of webhookTopics) {
      const ours = stored.find((hook) => hook.topic === topic)
      await ensureTopic(deps, store, { client, topic, ours, deliveryUrl, present }).catch((error) => {
        // Topics for which the keys have no permission are skipped.
        if (!(isSignedByKeys && error instanceof StoreProblem && isMissingPermission(error.code))) throw error
      })
    }
    return { rowCount: webhookTopics.length }
  })
}

interface TopicInput {
  client: StoreClient
  topic: string
  /** Our subscription with a known secret. */
  ours: { webhook_id: string; status: string } | undefined
  deliveryUrl: string
  present: WebhookSubscription[]
}

async function ensureTopic(deps: Pick<Deps, 'now' | 'secrets'>, store: StoreDb<Db>, input: TopicInput): Promise<void> {
  const { client, topic, ours, deliveryUrl, present } = input
  const now = deps.now()
  const isOurs = ({ id }: WebhookSubscription) => id === ours?.webhook_id
  const isCurrent = (hook: WebhookSubscription) =>
    isOurs(hook) && hook.topic === topic && hook.status === 'active' && hook.deliveryUrl === deliveryUrl
  if (ours?.status !== sql.TO_RENEW && present.some(isCurrent)) {
    await sql.markChecked(store, topic, 'active', now)
    return
  }
  const secret = createToken()
  const created = await client.createWebhook(topic, deliveryUrl, secret)
  const encryptedSecret = deps.secrets.seal(secret, buildSecretContext(store.storeId, topic))
  await sql.saveWebhook(store, { topic, webhookId: created.id, encryptedSecret, status: created.status, now })
  // Deletes disabled subscriptions and ours with a lost secret, which would only fail. Other apps' are not touched.
  const stale = present.filter((hook) => hook.topic === topic && (isOurs(hook) || hook.deliveryUrl === deliveryUrl))
  for (const hook of stale) await client.deleteWebhook(hook.id)
}

/** Best effort: a store that does not answer must not block the disconnect. We refuse its deliveries by then. */
export async function removeWebhooks(
  deps: Pick<Deps, 'log'>,
  client: StoreClient,
  webhookIds: string[],
): Promise<void> {
  const removal = Promise.allSettled(webhookIds.map((id) => client.deleteWebhook(id)))
  const finished = await Promise.race([removal, sleep(CLEAN_UP_LIMIT_MS, null, { ref: false })])
  const failedCount = finished?.filter((each) => each.status === 'rejected').length ?? webhookIds.length
  if (failedCount > 0) deps.log.warn({ left: failedCount }, 'store.webhooks_left_behind')
}
