import type { z } from 'zod'
import type { PushMethod } from '../../../shared/delivery/push.ts'
import { ASK_AGAIN_DAYS, pushTexts } from '../../../shared/delivery/push.ts'
import type {
  pushAutoSetup,
  pushResubscribe,
  pushSubscribe,
  pushUnsubscribe,
} from '../../../shared/delivery/push-calls.ts'
import { WORKER_VERSION } from '../../../shared/delivery/push-worker-version.ts'
import {
  foldStorePosts,
  hashClient,
  isStoreOrigin,
  readDeviceClass,
  readStoreCeiling,
} from '../../carts/capture/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import * as system from '../../core/db/public.ts'
import { type Db, type Limit, type StoreDb, sql, takePoint, transact } from '../../core/db/public.ts'
import {
  endSubscriptions,
  findCurrentKey,
  readSubscriptionToken,
  resubscribe,
  subscribe,
} from '../../delivery/push/public.ts'
import type { Deps } from '../../deps.ts'
import { buildWording, buildWorkerUrl, computeWordingId, renderPrompt } from './rules.ts'
import { readPrompt } from './setup-sql.ts'

// Calls of the widget and the worker on a shop's pages. They are public: a store answers only its own pages, and
// subscriptions are limited like new contacts (X5).

/** The caller, as far as it is known. */
export interface Visitor {
  /** Origin of the page; other programs send none. */
  origin: string | undefined
  ip: string
  userAgent: string | undefined
}

type Body<Call extends { body: z.ZodType }> = z.output<Call['body']>

const HOUR_S = 3_600
/** Subscriptions per hour from one client to one store. */
const CLIENT_LIMIT: Limit = { name: 'push-client', points: 20, windowS: HOUR_S }

const buildNotFound = () => new AppError('not_found', 'Store not found')

/** Throws `not_found` unless address and origin match a store. */
export async function autoSetup(
  deps: Pick<Deps, 'db' | 'now'>,
  { storeUrl, method, hasWorker = false, workerVersion, isFresh = false }: Body<typeof pushAutoSetup>,
  { origin }: Visitor,
) {
  const named = await system.findStoresByAddress(deps.db, storeUrl.replace(/(?<!\/)\/+$/, ''))
  const row = named.find((each) => origin && isStoreOrigin(each, origin))
  if (!row || !origin) throw buildNotFound()
  const store = { storeId: row.id, db: deps.db }
  const key = requireFound(await findCurrentKey(store), 'Store')
  const prompt = renderPrompt(await readPrompt(store), row.name)
  const text = buildWording(prompt)
  const wording = computeWordingId(text)
  if (!(await hasWording(store, wording))) await storeWording(store, wording, text, deps.now())
  const sighting = { hasWorker, workerVersion, isFresh }
  await recordSighting(store, { method: method ?? 'functions', origin, ...sighting, now: deps.now() })
  return {
    success: true,
    storeKey: row.capture_key,
    publicKey: key.public_key,
    workerUrl: buildWorkerUrl(row.home_url, method),
    workerVersion: WORKER_VERSION,
    prompt: { ...prompt, wording },
    askAgainDays: ASK_AGAIN_DAYS,
  }
}

export async function storeSubscription(deps: Deps, body: Body<typeof pushSubscribe>, visitor: Visitor) {
  const { store } = await loadStore(deps, body.storeKey, visitor)
  const wording = await readWording(store, body.wording)
  if (wording === undefined) throw new AppError('unprocessable', pushTexts.unknownWording)
  await limit(deps, store, visitor)
  // The cart may have been reported a moment ago.
  await foldStorePosts(deps, store)
  const { cart, device, subscription, publicKey } = body
  const deviceClass = readDeviceClass(visitor.userAgent)
  const fields = { cart, device, subscription, publicKey, wording, deviceClass }
  return { success: true, ...(await transact(store, (tx) => subscribe(deps, tx, fields))) }
}

export async function moveSubscription(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'log' | 'now' | 'secrets'>,
  body: Body<typeof pushResubscribe>,
  visitor: Visitor,
) {
  const { store } = await loadStore(deps, body.storeKey, visitor)
  if (body.cart !== undefined) await foldStorePosts(deps, store)
  return { success: true, token: await transact(store, (tx) => resubscribe(deps, tx, body)) }
}

export async function endSubscription(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  body: Body<typeof pushUnsubscribe>,
  visitor: Visitor,
) {
  const { store } = await loadStore(deps, body.storeKey, visitor)
  const id = readSubscriptionToken(deps.secrets, store.storeId, body.token)
  await transact(store, (tx) => endSubscriptions(deps, tx, [id], 'push widget'))
  return { success: true }
}

async function loadStore(deps: Pick<Deps, 'db'>, key: string, { origin }: Visitor): Promise<{ store: StoreDb<Db> }> {
  const row = await system.findStoreByCaptureKey(deps.db, key)
  if (!row?.is_active || !origin || !isStoreOrigin(row, origin)) throw buildNotFound()
  return { store: { storeId: row.id, db: deps.db } }
}

async function limit(deps: Pick<Deps, 'now' | 'pool' | 'secrets'>, store: StoreDb<Db>, { ip }: Visitor): Promise<void> {
  await takePoint(deps, CLIENT_LIMIT, `${store.storeId}\0${hashClient(deps, ip)}`)
  await takePoint(deps, { ...(await readStoreCeiling(deps, store)), name: 'push-store' }, store.storeId)
}

async function hasWording({ db, storeId }: StoreDb, id: string): Promise<boolean> {
  return (await readWording({ db, storeId }, id)) !== undefined
}

async function readWording({ db, storeId }: StoreDb, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('push_wordings')
    .select('words')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.words
}

async function storeWording({ db, storeId }: StoreDb, id: string, text: string, now: Date): Promise<void> {
  await sql`insert into push_wordings (store_id, id, words, created_at) values (${storeId}, ${id}, ${text}, ${now})
    on conflict do nothing`.execute(db)
}

/**
 * Writes at most once a minute, or when the version changes, because every page of a shop calls it. Only a freshly
 * fetched worker proves that the shop's copy is old: a browser may keep an older one.
 */
async function recordSighting(
  { db, storeId }: StoreDb,
  { method, origin, hasWorker, workerVersion, isFresh, now }: Sighting,
): Promise<void> {
  const workerAt = hasWorker ? now : null
  const version = sql`case when ${isFresh} then excluded.worker_version else greatest(p.worker_version, excluded.worker_version) end`
  await sql`insert into push_sightings as p (store_id, method, origin, widget_at, worker_at, worker_version)
    values (${storeId}, ${method}, ${origin}, ${now}, ${workerAt}, ${workerVersion ?? null})
    on conflict (store_id, method, origin) do update set widget_at = excluded.widget_at,
      worker_at = coalesce(excluded.worker_at, p.worker_at), worker_version = ${version}
    where p.widget_at < ${now}::timestamptz - interval '1 minute' or p.worker_version is distinct from ${version}
      or (excluded.worker_at is not null and coalesce(p.worker_at < ${now}::timestamptz - interval '1 minute', true))`.execute(
    db,
  )
}

interface Sighting {
  method: PushMethod
  origin: string
  hasWorker: boolean
  /** undefined: not reported. */
  workerVersion: number | undefined
  /** The worker was fetched from the shop just now. */
  isFresh: boolean
  now: Date
}
