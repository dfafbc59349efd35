import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { reachJob } from '../../access/plugin/jobs.ts'
import { queueWake, readPlugin } from '../../access/plugin/plugin.ts'
import { openStoreClient } from '../../access/stores/access.ts'
import { homeColumns, profileColumns } from '../../access/stores/profile.ts'
import * as sql from '../../access/stores/store.ts'
import { readCaptureStatus } from '../../carts/capture/contact-limits.ts'
import { webhooksJob } from '../../carts/sync/jobs.ts'
import { readStreams } from '../../carts/sync/streams.ts'
import { listWebhooks } from '../../carts/sync/webhooks.ts'
import { AppError, requireFound } from '../../core/common/errors.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { type Limit, takePoint } from '../../core/db/rate-limits.ts'
import type { Deps } from '../../deps.ts'
import type { StoreClient, StoreProfile, WebhookSubscription } from '../../platforms/platform/platform.ts'
import { StoreProblem } from '../../platforms/platform/store-problem.ts'
import { findPlatform } from '../../platforms/registry/registry.ts'
import { readBoxes } from '../../shoppers/consent/boxes.ts'
import { doctorChecks, type Findings, needsNewWebhooks, type StoreAnswer } from './doctor-rules.ts'

// Runs the connection doctor on request. It asks the store once; the rest comes from earlier observations.

/** Per store, for all members: each run costs the shop half a dozen requests. */
const EXAMINATIONS: Limit = { name: 'doctor-store', points: 20, windowS: 900 }
const LIMIT_MS = 25_000

export async function examineStore(deps: Deps, store: StoreDb<Db>) {
  const row = requireFound(await sql.readStore(store), 'Store')
  if (!row.is_active) throw new AppError('conflict', 'This store is not connected.')
  await takePoint(deps, EXAMINATIONS, store.storeId)
  const asked = await askStore(deps, store)
  if (asked.kind === 'answered') await saveChanges(deps, row, asked.profile)
  const plugin = (await readPlugin(store)) ?? null
  if (plugin && !plugin.ended_at && plugin.is_reached !== (asked.kind === 'answered')) {
    await deps.jobs.enqueue(deps.db, reachJob, { storeId: store.storeId }, store.storeId)
  }
  // Requests a fresh plugin report, for the next run.
  if (plugin && !isRecent(plugin.beat_at, deps.now())) await queueWake(deps, store, 'check')
  const findings: Findings = {
    now: deps.now(),
    platform: row.platform,
    asked,
    known: { version: row.version, captureSeenAt: row.capture_seen_at, connectedAt: row.connected_at },
    capture: await readCaptureStatus(deps, store),
    beforeConsent: row.before_consent,
    boxes: await readBoxes(store),
    publicUrl: deps.config.publicUrl,
    isReachableByStore: row.is_demo || findPlatform(row.platform).canDeliverTo(deps.config.publicUrl),
    kept: await listWebhooks(store),
    streams: await readStreams(store),
    plugin,
  }
  if (needsNewWebhooks(findings)) {
    await deps.jobs.enqueue(deps.db, webhooksJob, { storeId: store.storeId }, store.storeId)
  }
  return { at: findings.now.toISOString(), checks: doctorChecks(findings) }
}

const isRecent = (at: Date | null, now: Date): boolean => at !== null && now.getTime() - at.getTime() < 60_000

/** Writes only changes, so that it does not wait for a lock on the store without need. */
async function saveChanges(deps: Deps, row: sql.StoreRow, profile: StoreProfile): Promise<void> {
  const columns = { ...profileColumns(profile), ...homeColumns(row.platform, profile) }
  const names = Object.keys(columns) as (keyof typeof columns)[]
  if (names.every((name) => isDeepStrictEqual(columns[name], row[name]))) return
  await sql.updateStore({ accountId: row.account_id, db: deps.db }, row.id, columns)
}

/** Errors of the store are results; errors of ours are thrown. */
async function askStore(deps: Deps, store: StoreDb<Db>): Promise<StoreAnswer> {
  const ended = new AbortController()
  try {
    const client = await openStoreClient(deps, store)
    const signal = AbortSignal.any([AbortSignal.timeout(LIMIT_MS), ended.signal])
    // Requests to one store are serialized, so ours may not have begun yet.
    const late = sleep(LIMIT_MS, undefined, { signal: ended.signal, ref: false }).then(() => {
      throw new StoreProblem('timeout')
    })
    late.catch(() => undefined)
    const profile = await Promise.race([client.readProfile(signal), late])
    const hooks = await Promise.race([readWebhooks(client), late])
    return { kind: 'answered', profile, hooks }
  } catch (error) {
    if (error instanceof StoreProblem) return { kind: 'problem', code: error.code, detail: error.detail }
    if (error instanceof AppError && error.code === 'store_credentials') {
      return { kind: 'problem', code: 'keys_unreadable', detail: null }
    }
    throw error
  } finally {
    ended.abort()
  }
}

/** An unreadable list must not fail the other checks. */
function readWebhooks(client: StoreClient): Promise<WebhookSubscription[] | null> {
  return client.webhooks().catch((error) => {
    if (error instanceof StoreProblem) return null
    throw error
  })
}
