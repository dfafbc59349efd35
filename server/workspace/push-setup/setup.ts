import { DEFAULT_PROMPT, type PushPrompt, pushTexts } from '../../../shared/delivery/push.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { readStore } from '../../access/stores/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, transact } from '../../core/db/public.ts'
import { countByKey, countSubscribers, findCurrentKey } from '../../delivery/push/public.ts'
import type { Deps } from '../../deps.ts'
import { readPushSettings } from '../../marketing/flows/public.ts'
import { computeClickRate, computeConversion, isOldWorker } from './rules.ts'
import * as sql from './setup-sql.ts'
import { readCounts } from './stats-sql.ts'

// Push settings and status for the owner (A 2.9, 2.10).

export async function readSetup(store: StoreDb<Db>) {
  const row = requireFound(await readStore(store), 'Store')
  const [settings, prompt, sightings, subscribers] = await Promise.all([
    readPushSettings(store),
    sql.readPrompt(store),
    sql.listSightings(store),
    countSubscribers(store),
  ])
  return {
    storeUrl: row.url,
    storeName: row.name,
    platform: row.platform,
    storeKey: row.capture_key,
    subscribers,
    canHostWorker: capabilities[row.platform].pushHost,
    keys: await readKeys(store),
    settings,
    prompt: prompt ?? DEFAULT_PROMPT,
    seen: sightings.map((each) => ({
      method: each.method,
      origin: each.origin,
      widgetAt: each.widget_at.toISOString(),
      workerAt: each.worker_at?.toISOString() ?? null,
      isWorkerOld: isOldWorker(each.method, each.worker_version),
    })),
  }
}

async function readKeys(store: StoreDb<Db>) {
  const key = await findCurrentKey(store)
  if (!key) return null
  const counts = await countByKey(store)
  const older = counts.filter(({ id }) => id !== key.id)
  return {
    publicKey: key.public_key,
    madeAt: key.made_at.toISOString(),
    subscriptions: counts.reduce((sum, each) => sum + each.subscriptions, 0),
    older: older.map((each) => ({
      madeAt: each.made_at.toISOString(),
      endsAt: each.ends_at!.toISOString(),
      subscriptions: each.subscriptions,
    })),
  }
}

export async function readStats(store: StoreDb<Db>) {
  const { total, subscribed, subscriptions, notifications, clicked } = await readCounts(store)
  const stats = {
    totalCustomers: total,
    subscribedCustomers: subscribed,
    pendingCustomers: total - subscribed,
    conversionRate: computeConversion(subscribed, total),
    subscribers: subscriptions,
    notifications,
    clickRate: computeClickRate(clicked, notifications),
  }
  return { success: true, message: pushTexts.statsLoaded, stats }
}

export async function savePrompt(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, prompt: PushPrompt): Promise<void> {
  await transact(store, (tx) => sql.savePrompt(tx, prompt, deps.now()))
}
