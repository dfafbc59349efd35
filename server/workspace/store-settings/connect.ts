import type { Insertable } from 'kysely'
import { findRightsProblems, normalizeStoreUrl, STORE_PROBLEM_TEXT } from '../../../shared/access/store-problems.ts'
import { removeInvisible } from '../../../shared/core/one-line.ts'
import { limits, setSessionStore } from '../../access/members/public.ts'
import { notify } from '../../access/notifications/public.ts'
import { yieldJob } from '../../access/plugin/public.ts'
import {
  callWithTypedKeys,
  isDemoAccount,
  isSameAddress,
  isSameStore,
  listDemoStoreUrls,
  listStores,
  RETENTION_MS,
  type StoreRow,
  toProfileColumns,
  updateStore,
} from '../../access/stores/public.ts'
import { type AccountPlan, explainNoRoom, loadPlan } from '../../billing/billing/public.ts'
import { proposeLogoJob } from '../../carts/brand/public.ts'
import { AppError, createId, createToken, hasAddress } from '../../core/common/public.ts'
import {
  type AccountDb,
  type AccountTx,
  listUnprovenStores,
  type StoreTx,
  takePoint,
  transactAccount,
} from '../../core/db/public.ts'
import type { StoresTable } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { createReadyFlow } from '../../marketing/flows/public.ts'
import type { PlatformName, StoreKeys, StoreProfile } from '../../platforms/platform/public.ts'
import { readTypedKeys, type TypedKeys } from '../../platforms/registry/public.ts'
import { defaultMode } from '../../shoppers/consent/public.ts'
import { saveProvenKeys } from './new-keys.ts'

// Connects a store: tests the keys, then creates everything of a connected store in one transaction.

export const PROFILE_LIMIT_MS = 45_000

export interface ConnectRequest extends TypedKeys {
  platform: PlatformName
  store_url: string
}

/** The connecting member. Without a session (the demo's setup), no current store is selected. */
export interface Connector {
  accountId: string
  sessionId: string | null
}

interface CheckedConnection {
  platform: PlatformName
  storeUrl: string
  keys: StoreKeys
  isDemoStore: boolean
  profile: StoreProfile
  /** The store answered at the address with these keys. */
  isProven: boolean
}

export async function connectStore(deps: Deps, connector: Connector, request: ConnectRequest) {
  const { storeUrl, keys } = readRequest(request)
  const account = { accountId: connector.accountId, db: deps.db }
  // Checked before the store is asked, so that no one fetches keys for a store that the plan has no room for.
  const isDemoStore = await assertConnectable(deps, account, storeUrl)
  await takePoint(deps, limits.connectPerAccount, connector.accountId)
  const client = deps.storeClient({ platform: request.platform, storeUrl, homeUrl: storeUrl, keys })
  const profile = await callWithTypedKeys(PROFILE_LIMIT_MS, (signal) => client.readProfile(signal))
  const found = { platform: request.platform, storeUrl: profile.storeUrl, keys, profile }
  const store = await saveConnection(deps, connector, { ...found, isDemoStore, isProven: true })
  return { store, warnings: listWarnings(profile) }
}

/** Throws if the account may not connect this address; returns whether it is the demo store. */
export async function assertConnectable(
  deps: Pick<Deps, 'demo' | 'now'>,
  account: AccountDb,
  storeUrl: string,
): Promise<boolean> {
  const isDemoStore = listDemoStoreUrls(deps.demo).includes(storeUrl)
  if (!isDemoStore && (await isDemoAccount(account))) {
    throw new AppError('forbidden', 'The demo account can only use the demo store. Register to connect your own store.')
  }
  assertRoom(await loadPlan(account, deps.now()), await listStores(account), storeUrl)
  return isDemoStore
}

/** Creates everything of a connected store in one transaction; `more` adds what depends on the kind of connection. */
export function saveConnection(
  deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'secrets'>,
  connector: Connector,
  checked: CheckedConnection,
  more: (tx: StoreTx) => Promise<void> = async () => undefined,
): Promise<StoreRow> {
  const account = { accountId: connector.accountId, db: deps.db }
  return rejectDuplicate(() =>
    transactAccount(account, async (tx) => {
      const store = await saveStore(deps, tx, connector, checked)
      await more({ storeId: store.id, db: tx.db })
      return store
    }),
  )
}

/** Validates with the messages of A 5. */
function readRequest(request: ConnectRequest): { storeUrl: string; keys: StoreKeys } {
  const address = normalizeStoreUrl(request.platform, request.store_url)
  if (!address.ok) throw new AppError('invalid', address.message, { fields: { store_url: address.message } })
  const keys = readKeys(request.platform, request)
  return { storeUrl: address.storeUrl, keys }
}

export function readKeys(platform: PlatformName, typed: TypedKeys): StoreKeys {
  const reading = readTypedKeys(platform, typed)
  if ('problem' in reading) throw new AppError('invalid', reading.problem)
  return reading.keys
}

function assertRoom(plan: AccountPlan, stores: StoreRow[], address: string): void {
  const others = stores.filter((each) => each.is_active && !isSameAddress(each.url, address))
  const problem = explainNoRoom(plan, others.length)
  if (problem) throw new AppError('plan_required', problem)
}

async function saveStore(
  deps: Pick<Deps, 'jobs' | 'now' | 'secrets'>,
  tx: AccountTx,
  connector: Connector,
  checked: CheckedConnection,
): Promise<StoreRow> {
  await lockAccount(tx)
  const now = deps.now()
  const stores = await listStores(tx)
  assertRoom(await loadPlan(tx, now), stores, checked.storeUrl)
  const known = stores.find((each) => isSameRow(each, checked, now))
  const isProven = checked.isProven || (known?.is_active === true && known.is_address_proven)
  const columns = {
    ...toColumns(checked),
    is_active: true,
    is_address_proven: isProven,
    disconnected_at: null,
    disconnected_by: null,
  }
  if (isProven) await enqueueYield(deps, tx, checked.profile.homeUrl)
  const store = known
    ? (await updateStore(tx, known.id, columns))!
    : await insertStore(tx, { ...columns, ...newStore(checked.profile, now) })
  if (stores.length === 0) await nameAccount(tx, store.sender_name)
  const inside = { storeId: store.id, db: tx.db }
  await saveProvenKeys(deps, tx, store, checked.keys)
  await deps.jobs.enqueue(tx.db, proposeLogoJob, { storeId: store.id }, store.id)
  await insertSendSchedule(inside)
  await createReadyFlow(inside, now, store)
  if (connector.sessionId) await setSessionStore(tx, connector.sessionId, store.id)
  const data = { url: store.url, ...(!checked.isProven && { isUntested: true as const }) }
  await notify(inside, { type: 'store_connected', data, at: now })
  // The shop is tested once Recoup has reached it.
  if (!checked.isProven) return store
  // Notifications of the same instant have no defined order.
  const next = new Date(now.getTime() + 1)
  await notify(inside, { type: 'connection_test', data: { test: true, channel: 'store', to: store.url }, at: next })
  return store
}

/** Ends connections of other accounts to this address that are unproven (by a plugin only). */
export async function enqueueYield(deps: Pick<Deps, 'jobs'>, tx: AccountTx, homeUrl: string): Promise<void> {
  for (const storeId of await listUnprovenStores(tx.db, homeUrl, tx.accountId)) {
    await deps.jobs.enqueue(tx.db, yieldJob, { storeId }, storeId)
  }
}

/** The same store again: still connected (new keys), or disconnected for less than 30 days (data is restored). */
function isSameRow(row: StoreRow, checked: CheckedConnection, now: Date): boolean {
  if (row.platform !== checked.platform || !isSameStore(row, checked.profile)) return false
  return row.is_active || now.getTime() - (row.disconnected_at?.getTime() ?? 0) < RETENTION_MS
}

function toColumns({ platform, storeUrl, isDemoStore, profile }: CheckedConnection) {
  return { platform, url: storeUrl, home_url: profile.homeUrl, is_demo: isDemoStore, ...toProfileColumns(profile) }
}

function newStore(profile: StoreProfile, now: Date) {
  return {
    id: createId(),
    connected_at: now,
    capture_key: createToken(),
    sender_name: defaultSenderName(profile),
    before_consent: defaultMode(profile.sellingCountries),
  }
}

/** The store's name. Empty if the name contains an address of another host: then the owner must enter a sender. */
function defaultSenderName({ name, homeUrl }: StoreProfile): string {
  const cleaned = removeInvisible(name).slice(0, 120)
  return hasAddress(cleaned, [new URL(homeUrl).hostname]) ? '' : cleaned
}

export function listWarnings(profile: StoreProfile): string[] {
  const lacking = findRightsProblems(profile.rights)
  // The rights already cover it.
  const readOnly = profile.canWrite || profile.rights ? [] : [STORE_PROBLEM_TEXT.read_only_key]
  return [...readOnly, ...lacking].map(({ sentence, nextStep }) => `${sentence} ${nextStep}`)
}

/** Decision 7: one account per store address. The unique index also decides between concurrent connections. */
async function rejectDuplicate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== 'stores_url_key') throw error
    throw new AppError('conflict', 'This store is already connected to another account.', { cause: error })
  }
}

/** Serializes concurrent connections, so that both see the correct count. */
function lockAccount({ db, accountId }: AccountTx) {
  return db
    .selectFrom('accounts')
    .select(['id', 'is_demo'])
    .where('id', '=', accountId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** Replaces the owner's name, which an account has until it gets its own. */
function nameAccount({ db, accountId }: AccountTx, name: string) {
  return db
    .updateTable('accounts')
    .set({ name })
    .where('id', '=', accountId)
    .where('name', 'in', (eb) =>
      eb
        .selectFrom('members as m')
        .innerJoin('users as u', 'u.id', 'm.user_id')
        .select('u.name')
        .where('m.account_id', '=', accountId),
    )
    .execute()
}

function insertStore({ db, accountId }: AccountTx, store: Omit<Insertable<StoresTable>, 'account_id'>) {
  return db
    .insertInto('stores')
    .values({ ...store, account_id: accountId })
    .returningAll()
    .executeTakeFirstOrThrow()
}

function insertSendSchedule({ db, storeId }: StoreTx) {
  return db
    .insertInto('send_schedule')
    .values({ store_id: storeId })
    .onConflict((conflict) => conflict.column('store_id').doNothing())
    .execute()
}
