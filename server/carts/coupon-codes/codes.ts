import type { z } from 'zod'
import { storeProblemMessage } from '../../../shared/access/store-problems.ts'
import { addMs, needsOwner, openStoreClient } from '../../access/stores/public.ts'
import { keepSlot, type ReleaseSlot } from '../../core/common/public.ts'
import { type Db, type RawBuilder, type StoreDb, type StoreTx, sql, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { isOpen, isRunningCampaign, scheduleNextRun, wakeMessages } from '../../messages/messages/public.ts'
import {
  type CouponChangeResult,
  type CouponResult,
  type StoreClient,
  StoreProblem,
} from '../../platforms/platform/public.ts'
import { codeTerms, hasCurrentAmount, soldOutItems } from '../coupons/public.ts'
import { renewLease, runSyncJob, type SyncJob, type SyncResult } from '../sync/public.ts'
import { codesJob } from './codes-jobs.ts'
import type { CodeInput } from './codes-rules.ts'
import {
  buildCodeDraft,
  buildCodeMark,
  computeCappedAmount,
  computeNextCheck,
  computeRetry,
  deriveCode,
  findProblem,
  matchesDraft,
} from './codes-rules.ts'

// Creates personal codes in the store before their messages are sent (decisions 33 and 34). A row is written first, so
// that after a lost answer the next run finds the code in the store, by its name and our mark.

const AHEAD_MS = 15 * 60_000
/** Codes per request to the store. */
const BATCH = 100
/** Attempts to find a free code; each collides with probability 1 in 150,000,000,000. */
const MAX_DERIVATIONS = 20

/** Tick: queues one job per store with codes to create. */
export async function enqueueDueCodes(deps: Pick<Deps, 'db' | 'jobs' | 'now'>): Promise<void> {
  const now = deps.now()
  for (const storeId of await selectStoresNeedingCodes(deps.db, { now, horizon: addMs(now, AHEAD_MS) })) {
    await deps.jobs.enqueue(deps.db, codesJob, { storeId }, storeId)
  }
}

/**
 * Finds messages that will not be sent by then, or not with a code, as far as known
 * (server/delivery/send/needless-codes.ts).
 */
export type FindUnneeded = (
  deps: Deps,
  store: StoreDb<Db>,
  messages: readonly { id: string; wakeAt: Date }[],
  until: Date,
) => Promise<Set<string>>

/**
 * Job. One run per store at a time, first due first. An unreachable store is not asked for a while. Codes that would
 * not be used are not created; they are checked again in a minute and when their message is due.
 */
export function createCodes(
  deps: Deps,
  { storeId }: z.infer<typeof codesJob.payload>,
  findNeedless: FindUnneeded,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<SyncResult> {
  return runSyncJob(deps, { storeId, stream: 'coupon_codes' }, async (run) => {
    if (await isPaused(run.store)) return { rowCount: 0 }
    let client: StoreClient | undefined
    let rowCount = 0
    for (;;) {
      const { batch, isEnd } = await claimBatch(run, findNeedless)
      if (isEnd) return { rowCount }
      if (batch.length === 0) continue
      client ??= await openStoreClient(deps, run.store, releaseSlot)
      await createBatch(run, client, batch)
      rowCount += batch.length
      await renewLease(run)
    }
  })
}

/** The next codes to request, each with a row that records the request. Codes with terms being edited come later. */
async function claimBatch(
  { deps, store }: SyncJob,
  findNeedless: FindUnneeded,
): Promise<{ batch: DueCode[]; isEnd: boolean }> {
  const now = deps.now()
  const ahead = { now, horizon: addMs(now, AHEAD_MS) }
  // Before the transaction, because it reads its own snapshot.
  const unchecked = (await selectDueCodes(store, ahead, BATCH)).filter(isUnknownToStore)
  const needless =
    unchecked.length === 0
      ? new Set<string>()
      : await findNeedless(
          deps,
          store,
          unchecked.map(({ message_id: id, wake_at: wakeAt }) => ({ id, wakeAt })),
          ahead.horizon,
        )
  return transact(store, async (tx) => {
    await lockTerms(tx)
    const due = await selectDueCodes(tx, ahead, BATCH)
    const isNeedless = (row: DueCode) => isUnknownToStore(row) && needless.has(row.message_id)
    const needed = due.filter((row) => !isNeedless(row))
    const spared = due.filter(isNeedless)
    const sparedRows = [...spared.filter((row) => row.is_known), ...(await insertNew(deps, tx, spared, now))]
    await postponeCodes(
      tx,
      sparedRows.map(({ message_id, coupon_id, wake_at }) => {
        return { message_id, coupon_id, next_try_at: computeNextCheck(wake_at, now) }
      }),
    )
    const rows = [...needed.filter((row) => row.is_known), ...(await insertNew(deps, tx, needed, now))]
    await markRequested(
      tx,
      rows.map((row) => ({
        message_id: row.message_id,
        coupon_id: row.coupon_id,
        amount_minor: computeCappedAmount(row),
        cart_version: row.cart_version,
        sold_out: row.sold_out,
        terms: row.wanted_terms,
        expires_at: row.wanted_expires_at,
      })),
      now,
    )
    return { batch: rows, isEnd: rows.length + sparedRows.length === 0 }
  })
}

/** A code that was requested may exist in the store, and must be updated instead. */
const isUnknownToStore = ({ platform_id, attempts }: DueCode): boolean => platform_id === null && attempts === 0

async function insertNew(
  deps: Pick<Deps, 'secrets'>,
  tx: Parameters<typeof insertCodes>[0],
  due: DueCode[],
  now: Date,
) {
  let waiting = due.filter((row) => !row.is_known)
  const done: DueCode[] = []
  for (let derivation = 0; waiting.length > 0 && derivation < MAX_DERIVATIONS; derivation += 1) {
    const tried = waiting.map((row) => ({ ...row, derivation, code: buildCode(deps, tx.storeId, row, derivation) }))
    const inserted = await insertCodes(tx, tried.map(buildRow), now)
    done.push(...tried.filter((row) => inserted.has(row.message_id)))
    waiting = waiting.filter((row) => !inserted.has(row.message_id))
  }
  return done
}

const buildCode = (deps: Pick<Deps, 'secrets'>, storeId: string, row: DueCode, derivation: number) =>
  deriveCode(
    deps.secrets,
    { storeId, messageId: row.message_id, couponId: row.coupon_id, prefix: row.prefix },
    derivation,
  )

const buildRow = (row: DueCode): NewCode => ({
  message_id: row.message_id,
  coupon_id: row.coupon_id,
  shopper_id: row.shopper_id,
  cart_id: row.cart_id,
  code: row.code,
  derivation: row.derivation,
  terms: row.wanted_terms,
  expires_at: row.wanted_expires_at,
})

/** Result for one code. `moved`: it has another code now and is handled again. */
type CodeResult = { platformId: string } | { refusal: string } | 'moved'

async function createBatch(run: SyncJob, client: StoreClient, batch: readonly DueCode[]): Promise<void> {
  const impossible = batch.flatMap((row) => {
    const refusal = findProblem(row)
    return refusal ? [{ row, answer: { refusal } }] : []
  })
  await saveResults(run, impossible)
  const makable = batch.filter((row) => findProblem(row) === null)
  try {
    await createNewCodes(
      run,
      client,
      makable.filter((row) => row.platform_id === null),
    )
    await updateCreated(
      run,
      client,
      makable.filter((row) => row.platform_id !== null),
    )
  } catch (error) {
    if (error instanceof StoreProblem && needsOwner(error.code)) await refuseAll(run, makable, error)
    throw error
  }
}

async function createNewCodes(run: SyncJob, client: StoreClient, rows: readonly DueCode[]): Promise<void> {
  if (rows.length === 0) return
  const answers = (await client.createCoupons(rows.map(buildCodeDraft))).map((result, index) => ({
    row: rows[index]!,
    result,
  }))
  const isDuplicate = ({ result }: (typeof answers)[number]) => 'refusal' in result && result.refusal === 'duplicate'
  await saveResults(
    run,
    answers.filter((each) => !isDuplicate(each)).map(({ row, result }) => ({ row, answer: toResult(result) })),
  )
  // One request per code, so the lease is renewed meanwhile.
  for (const { row } of answers.filter(isDuplicate)) {
    await saveResults(run, [{ row, answer: await resolveDuplicate(run, client, row) }])
    await renewLease(run)
  }
}

const toResult = (result: CouponResult): CodeResult =>
  'coupon' in result ? { platformId: result.coupon.couponId } : { refusal: result.detail }

/** If the existing coupon is ours, an earlier answer was lost. Otherwise the next code is used. */
async function resolveDuplicate(run: SyncJob, client: StoreClient, row: DueCode): Promise<CodeResult> {
  const found = await client.couponByCode(row.code, row.currency)
  if (found?.mark !== buildCodeMark(row.message_id)) return takeNextCode(run, row)
  return matchesDraft(found, buildCodeDraft(row))
    ? { platformId: found.couponId }
    : updateCode(run, client, row, found.couponId)
}

async function takeNextCode({ deps, store }: SyncJob, row: DueCode): Promise<CodeResult> {
  for (let derivation = row.derivation + 1; derivation < MAX_DERIVATIONS; derivation += 1) {
    const code = buildCode(deps, store.storeId, row, derivation)
    if (await moveToCode(store, row, { code, derivation, now: deps.now() })) return 'moved'
  }
  return { refusal: 'Every code for this message is taken in the store.' }
}

/** Updates codes whose cart, message or terms have changed. Idempotent. */
async function updateCreated(run: SyncJob, client: StoreClient, rows: readonly DueCode[]): Promise<void> {
  if (rows.length === 0) return
  const changed = await client.updateCoupons(rows.map((row) => ({ id: row.platform_id!, draft: buildChanges(row) })))
  const settled: SettledCode[] = []
  for (const [index, row] of rows.entries()) {
    settled.push({ row, answer: await toChangeResult(run, row, { platformId: row.platform_id!, ...changed[index]! }) })
  }
  await saveResults(run, settled)
}

async function updateCode(run: SyncJob, client: StoreClient, row: DueCode, platformId: string): Promise<CodeResult> {
  return toChangeResult(run, row, { platformId, ...(await client.updateCoupon(platformId, buildChanges(row))) })
}

function buildChanges(row: DueCode) {
  const { mark: _, code: __, ...changes } = buildCodeDraft(row)
  return changes
}

async function toChangeResult(
  run: SyncJob,
  row: DueCode,
  { platformId, ...changed }: CouponChangeResult & { platformId: string },
): Promise<CodeResult> {
  if ('coupon' in changed) return { platformId }
  if (changed.refusal !== 'gone') return { refusal: changed.detail }
  // Deleted in the store: create it again.
  await resetCode(run.store, row)
  return 'moved'
}

/** The key cannot write, or a plugin blocks us: saves the reason with every code and retries later. */
async function refuseAll(run: SyncJob, rows: readonly DueCode[], problem: StoreProblem): Promise<void> {
  const refusal = storeProblemMessage(problem.code, problem.detail)
  await saveResults(
    run,
    rows.map((row) => ({ row, answer: { refusal } })),
  )
}

interface SettledCode {
  row: DueCode
  answer: CodeResult
}

/** Saves the store's answers and wakes the messages that waited for them. */
async function saveResults({ deps, store }: SyncJob, settled: readonly SettledCode[]): Promise<void> {
  if (settled.length === 0) return
  const now = deps.now()
  const result = settled.flatMap(({ row: { message_id, coupon_id }, answer }) =>
    typeof answer === 'object' && 'platformId' in answer
      ? [{ message_id, coupon_id, platform_id: answer.platformId }]
      : [],
  )
  const refused = settled.flatMap(({ row: { message_id, coupon_id, attempts }, answer }) =>
    typeof answer === 'object' && 'refusal' in answer
      ? [{ message_id, coupon_id, refusal: answer.refusal.slice(0, 500), next_try_at: computeRetry(now, attempts + 1) }]
      : [],
  )
  await transact(store as StoreDb<Db>, async (tx) => {
    await markCreated(tx, result, now)
    await markRefused(tx, refused)
    const waiting = [...result, ...refused].map((each) => each.message_id)
    await wakeMessages(tx, waiting, ['coupon_pending', 'coupon_failed'], now)
    await scheduleNextRun(tx)
  })
}

// SQL for personal codes, which are created ahead (decision 34).

/** A code to create or update, with all its inputs. */
interface DueCode extends CodeInput {
  coupon_id: string
  shopper_id: string
  cart_id: string | null
  cart_version: number | null
  /** Sold-out items of its cart; null: none. */
  sold_out: string | null
  prefix: string
  /** The coupon's current terms. */
  wanted_terms: string
  /** false: there is no row yet. */
  is_known: boolean
  platform_id: string | null
  derivation: number
  attempts: number
  /** Time of the next check of its message. */
  wake_at: Date
}

const TERMS = codeTerms('c')

/** Valid for N hours after the latest possible send, up to the coupon's own end. Stores keep whole seconds. */
const EXPECTED_EXPIRY = sql`date_trunc('second', least(m.expires_at + c.valid_hours * interval '1 hour', c.ends_at))`

/** Whether the code is for one cart or one address. */
const IS_OF_CART = sql`(c.is_tied_to_email or (c.type = 'percentage' and c.max_discount_minor is not null))`

const EMAIL = sql`coalesce(case when m.channel = 'email' then r.to_address end,
  case when m.cart_id is null then p.email else t.email end)`

const CONTACT = sql`coalesce(r.to_address, case when m.channel = 'email'
  then case when m.cart_id is null then p.email else t.email end
  else case when m.cart_id is null then p.phone else t.phone end end)`

/** Items of the cart that are not sold out, by our catalogue (decision 134). null: no cart. */
const REMAINING_ITEMS = sql`case when t.id is not null then (
    select coalesce(jsonb_agg(i.item order by i.place), '[]') from jsonb_array_elements(t.items) with ordinality as i(item, place)
    where not exists (select 1 from products g where g.store_id = t.store_id and g.product_id = i.item ->> 'productId'
      and g.variation_id = coalesce(i.item ->> 'variationId', '') and not g.is_available)) end`

/**
 * Codes are created for this many messages, first due first. More are never sent within two seconds, the check
 * interval.
 */
const WINDOW = 2_000

/**
 * Open messages checked before `horizon`, first due first, whose personal code is missing or outdated. They belong to
 * active flows, running campaigns or manual sends, and have an address and an open cart.
 */
const selectMessagesNeedingCodes = (storeId: RawBuilder<unknown>, { now, horizon }: DueWindow) => sql`
  from (select * from messages m where m.store_id = ${storeId} and ${isOpen('m')} and m.wake_at <= ${horizon} and m.expires_at > ${now}
    order by m.wake_at limit ${sql.lit(WINDOW)}) m
  left join lateral (select * from manual_messages r where r.store_id = m.store_id and r.message_id = m.id offset 0) r on true
  left join flows f on f.store_id = m.store_id and m.origin_kind = 'flow' and f.id = m.origin_id and f.is_on
  left join flow_steps fs on fs.store_id = f.store_id and fs.flow_id = f.id and fs.id = m.step_id
  left join campaigns g on g.store_id = m.store_id and m.origin_kind = 'campaign' and g.id = m.origin_id and ${isRunningCampaign}
  join coupons c on c.store_id = m.store_id and c.id = coalesce(r.coupon_id, fs.coupon_id, g.coupon_id)
    and c.kind = 'personal' and c.gone_at is null and c.is_active
    and (c.starts_at is null or c.starts_at <= ${now}) and (c.ends_at is null or c.ends_at > ${now})
  join shoppers p on p.store_id = m.store_id and p.id = m.shopper_id
  left join carts t on t.store_id = m.store_id and t.id = m.cart_id
  left join coupon_codes k on k.store_id = m.store_id and k.message_id = m.id and k.coupon_id = c.id
  where (m.cart_id is null or t.status in ('active', 'abandoned', 'lost'))
    and ${CONTACT} is not null
    and (k.message_id is null
      or (k.state in ('wanted', 'failed') and (k.next_try_at <= ${now} or k.next_try_at > ${now}::timestamptz + interval '20 minutes'))
      or (k.state = 'made' and k.used_at is null and (k.expires_at < ${EXPECTED_EXPIRY} or k.terms <> ${TERMS}
        or (${IS_OF_CART} and k.cart_version is distinct from t.version) or not ${hasCurrentAmount('c', 't')})))`

interface DueWindow {
  now: Date
  horizon: Date
}

/** Waits for edits of personal coupons and blocks new ones, so that codes are created with final terms. */
async function lockTerms({ db, storeId }: StoreTx): Promise<void> {
  await sql`select id from coupons where store_id = ${storeId} and kind = 'personal' and gone_at is null
    order by id for share`.execute(db)
}

/** First due first. */
async function selectDueCodes({ db, storeId }: StoreDb, ahead: DueWindow, limit: number): Promise<DueCode[]> {
  const rows = await sql<DueCode>`
    select m.id as message_id, m.shopper_id, m.cart_id, c.id as coupon_id, coalesce(k.code, '') as code, c.code as prefix,
      c.type as coupon_type, c.percent, c.amount_minor, c.currency, c.min_spend_minor, c.max_discount_minor, c.is_tied_to_email,
      ${EMAIL} as email, ${EXPECTED_EXPIRY} as wanted_expires_at, ${TERMS} as wanted_terms, t.version as cart_version, ${REMAINING_ITEMS} as items,
      case when c.max_discount_minor is not null then ${soldOutItems('t')} end as sold_out,
      k.message_id is not null as is_known, k.platform_id, coalesce(k.derivation, 0) as derivation, coalesce(k.attempts, 0) as attempts, m.wake_at
    ${selectMessagesNeedingCodes(sql`${storeId}::uuid`, ahead)}
    order by m.wake_at, m.due_at, m.id limit ${limit}`.execute(db)
  return rows.rows
}

/** Connected stores with such messages that are not paused after a failure. */
async function selectStoresNeedingCodes(db: Db, ahead: DueWindow): Promise<string[]> {
  const { now, horizon } = ahead
  const rows = await sql<{ store_id: string }>`
    select s.id as store_id from stores s join send_schedule q on q.store_id = s.id and q.next_due_at <= ${horizon}
    left join sync_state y on y.store_id = s.id and y.stream = 'coupon_codes'
    where s.is_active and s.sending_paused_at is null and s.rests_since is null
      and not coalesce((select is_paused from instance), false)
      and not exists (select 1 from accounts a where a.id = s.account_id and a.suspended_at is not null)
      and exists (select 1 from coupons o where o.store_id = s.id and o.kind = 'personal' and o.gone_at is null)
      and (coalesce(y.failures, 0) = 0 or y.failed_at is null or y.failed_at > ${now}
        or y.failed_at + least(5 * 2 ^ least(y.failures - 1, 10), 30) * interval '1 second' <= ${now})
      and coalesce(y.lease_until not between ${now} and ${now}::timestamptz + interval '2 minutes', true)
      and exists (select 1 ${selectMessagesNeedingCodes(sql`s.id`, ahead)})`.execute(db)
  return rows.rows.map((row) => row.store_id)
}

/** Whether the store must not be queried: this installation is a copy, or the store sends nothing. */
async function isPaused({ db, storeId }: StoreDb): Promise<boolean> {
  const rows = await sql<{ is_at_rest: boolean }>`select s.sending_paused_at is not null or s.rests_since is not null
      or a.suspended_at is not null or coalesce((select is_paused from instance), false) as is_at_rest
    from stores s join accounts a on a.id = s.account_id where s.id = ${storeId}`.execute(db)
  return rows.rows[0]?.is_at_rest ?? true
}

interface NewCode {
  message_id: string
  coupon_id: string
  shopper_id: string
  cart_id: string | null
  code: string
  derivation: number
  terms: string
  expires_at: Date
}

/** Returns the messages whose code is unique. */
async function insertCodes({ db, storeId }: StoreTx, codes: readonly NewCode[], now: Date): Promise<Set<string>> {
  const rows = await sql<{ message_id: string }>`
    insert into coupon_codes (store_id, message_id, coupon_id, shopper_id, cart_id, code, derivation, terms, expires_at, next_try_at, created_at)
    select ${storeId}, n.*, ${now}, ${now} from jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) as n(message_id uuid, coupon_id uuid,
      shopper_id uuid, cart_id uuid, code text, derivation smallint, terms text, expires_at timestamptz)
    on conflict do nothing returning message_id`.execute(db)
  return new Set(rows.rows.map((row) => row.message_id))
}

interface RequestedCode {
  message_id: string
  coupon_id: string
  amount_minor: number | null
  cart_version: number | null
  sold_out: string | null
  terms: string
  expires_at: Date
}

/** Call before asking the store. Records what it may have from now on; the codes are used only after its answer. */
async function markRequested({ db, storeId }: StoreTx, codes: readonly RequestedCode[], now: Date): Promise<void> {
  await sql`update coupon_codes k set state = 'wanted', attempts = k.attempts + 1, asked_at = ${now}, amount_minor = n.amount_minor,
      cart_version = n.cart_version, sold_out = n.sold_out, terms = n.terms, expires_at = n.expires_at
    from jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) as n(message_id uuid, coupon_id uuid, amount_minor bigint,
      cart_version int, sold_out text, terms text, expires_at timestamptz)
    where ${NAMED(storeId, codes)} and k.message_id = n.message_id and k.coupon_id = n.coupon_id`.execute(db)
}

/** Postpones codes for which the store is not asked yet. */
async function postponeCodes(
  { db, storeId }: StoreTx,
  codes: readonly { message_id: string; coupon_id: string; next_try_at: Date }[],
): Promise<void> {
  if (codes.length === 0) return
  await sql`update coupon_codes k set next_try_at = n.next_try_at
    from jsonb_to_recordset(${JSON.stringify(codes)}::jsonb)
      as n(message_id uuid, coupon_id uuid, next_try_at timestamptz)
    where ${NAMED(storeId, codes)} and k.message_id = n.message_id and k.coupon_id = n.coupon_id`.execute(db)
}

/** One look-up per code: the planner would scan a table that has just grown. */
const NAMED = (storeId: string, codes: readonly { message_id: string }[]) =>
  sql`k.store_id = ${storeId} and k.message_id = any(${codes.map((code) => code.message_id)}::uuid[])`

interface CreatedCode {
  message_id: string
  coupon_id: string
  platform_id: string
}

/** Records created codes. New ones are logged on the carts' timelines. */
async function markCreated({ db, storeId }: StoreTx, codes: readonly CreatedCode[], now: Date): Promise<void> {
  await sql`
    with known as materialized (
      select k.message_id, k.coupon_id, k.made_at from coupon_codes k where ${NAMED(storeId, codes)}),
    made as (
      update coupon_codes k set state = 'made', platform_id = n.platform_id, refusal = null, made_at = coalesce(k.made_at, ${now})
      from ${toCreatedRows(codes)}
      where ${NAMED(storeId, codes)} and k.message_id = n.message_id and k.coupon_id = n.coupon_id
      returning k.message_id, k.coupon_id, k.cart_id, k.code)
    insert into cart_events (store_id, id, cart_id, at, kind, detail)
    select ${storeId}, gen_random_uuid(), c.id, ${now}, 'coupon_made', jsonb_build_object('code', m.code, 'couponId', m.coupon_id)
    from made m join known f on f.message_id = m.message_id and f.coupon_id = m.coupon_id and f.made_at is null
    join carts c on c.store_id = ${storeId} and c.id = m.cart_id`.execute(db)
}

const toCreatedRows = (codes: readonly CreatedCode[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) as n(message_id uuid, coupon_id uuid, platform_id text)`

interface RefusedCode {
  message_id: string
  coupon_id: string
  refusal: string
  next_try_at: Date
}

async function markRefused({ db, storeId }: StoreTx, codes: readonly RefusedCode[]): Promise<void> {
  await sql`update coupon_codes k set state = 'failed', refusal = n.refusal, next_try_at = n.next_try_at
    from jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) as n(message_id uuid, coupon_id uuid, refusal text, next_try_at timestamptz)
    where ${NAMED(storeId, codes)} and k.message_id = n.message_id and k.coupon_id = n.coupon_id`.execute(db)
}

/** The store has another coupon with this code, so the next code is used. false: that one is taken here too. */
async function moveToCode(
  { db, storeId }: StoreDb,
  { message_id, coupon_id }: { message_id: string; coupon_id: string },
  next: { code: string; derivation: number; now: Date },
): Promise<boolean> {
  const rows = await sql`update coupon_codes k set code = ${next.code}, derivation = ${next.derivation}, attempts = 0,
      platform_id = null, state = 'wanted', next_try_at = ${next.now}
    where k.store_id = ${storeId} and k.message_id = ${message_id} and k.coupon_id = ${coupon_id}
      and not exists (select 1 from coupon_codes o where o.store_id = k.store_id and o.code = ${next.code})
    returning 1`.execute(db)
  return rows.rows.length > 0
}

/** The code no longer exists in the store and must be created again. */
async function resetCode(
  { db, storeId }: StoreDb,
  { message_id, coupon_id }: { message_id: string; coupon_id: string },
): Promise<void> {
  await sql`update coupon_codes set platform_id = null, attempts = 0
    where store_id = ${storeId} and message_id = ${message_id} and coupon_id = ${coupon_id}`.execute(db)
}
