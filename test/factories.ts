import { createId } from '../server/core/common/ids.ts'
import { createToken, hashToken } from '../server/core/common/secrets.ts'
import type { Db } from '../server/core/db/db.ts'
import { createReadyFlow } from '../server/marketing/flows/flows.ts'
import type { PlatformOrder } from '../server/platforms/platform/platform.ts'
import type { World } from './world.ts'

// Factories create what a test needs but does not care about, with all parents.

export interface TestStore {
  accountId: string
  userId: string
  storeId: string
  token: string
  captureKey: string
  flowId: string
}

export interface StoreOptions {
  url?: string
  plan?: 'free' | 'starter' | 'growth'
  role?: 'owner' | 'admin' | 'member' | 'viewer'
  baseCountry?: string | null
  sellingCountries?: string[] | null
  isFlowOn?: boolean
  accountId?: string
  /** Age of the newest complete order check; null: never. */
  orderCheckAgeMs?: number | null
}

let counter = 0

/** Creates an account with a signed-in owner, a connected store in the US, its sender, and the ready-made flow. */
export async function createStore(world: World, options: StoreOptions = {}): Promise<TestStore> {
  const n = ++counter
  const ids = {
    accountId: options.accountId ?? createId(),
    userId: createId(),
    storeId: createId(),
    token: createToken(),
  }
  const captureKey = `key${n}${ids.storeId.slice(-8)}`
  const url = options.url ?? `https://shop${n}.example.com`
  await insertStore(world, { ids, n, captureKey, url }, options)
  const flowId = await prepareFlow(world, ids.storeId, options.isFlowOn ?? true)
  return { ...ids, captureKey, flowId }
}

/** Creates another signed-in member of the store's account. */
export async function createColleague(
  { db, now }: World,
  { accountId, storeId }: TestStore,
  role: NonNullable<StoreOptions['role']> = 'viewer',
): Promise<{ userId: string; token: string; email: string }> {
  const [userId, token] = [createId(), createToken()]
  const user = { email: `${userId}@team.example`, name: 'Mia', password_hash: '-', email_confirmed_at: now }
  await db
    .insertInto('users')
    .values({ id: userId, ...user, created_at: now })
    .execute()
  await db.insertInto('members').values({ account_id: accountId, user_id: userId, role, created_at: now }).execute()
  await db
    .insertInto('sessions')
    .values({
      account_id: accountId,
      id: createId(),
      user_id: userId,
      store_id: storeId,
      token_hash: hashToken(token),
      created_at: now,
      last_seen_at: now,
      expires_at: new Date(now.getTime() + 86_400_000),
    })
    .execute()
  return { userId, token, email: user.email }
}

interface NewStore {
  ids: { accountId: string; userId: string; storeId: string; token: string }
  n: number
  captureKey: string
  url: string
}

/** One statement, because almost every test starts with it. */
async function insertStore(world: World, created: NewStore, options: StoreOptions): Promise<void> {
  const { accountId, storeId } = created.ids
  const age = options.orderCheckAgeMs === undefined ? 0 : options.orderCheckAgeMs
  const checkedAt = age === null ? null : new Date(world.now.getTime() - age)
  const store = {
    id: storeId,
    account_id: accountId,
    platform: 'woocommerce' as const,
    url: created.url,
    home_url: created.url,
    name: 'Tea & Co',
    currency: 'USD',
    time_zone: 'America/New_York',
    version: '10.4.4',
    base_country: options.baseCountry === undefined ? 'US' : options.baseCountry,
    selling_countries: options.sellingCountries === undefined ? ['US'] : options.sellingCountries,
    has_checkout_link: true,
    connected_at: world.now,
    capture_key: created.captureKey,
    sender_name: 'Tea & Co',
    postal_address: '1 Main Street, Springfield, IL 62701, USA',
  }
  await (options.accountId ? world.db : buildAccountInsert(world, created, options))
    .with('store', (query) => query.insertInto('stores').values(store))
    .with('schedule', (query) => query.insertInto('send_schedule').values({ store_id: storeId }))
    .insertInto('sync_state')
    .values({ store_id: storeId, stream: 'order_check', completed_start: checkedAt, completed_at: checkedAt })
    .execute()
}

function buildAccountInsert({ db, now }: World, { ids, n }: NewStore, options: StoreOptions): Pick<Db, 'with'> {
  const { accountId, userId, token } = ids
  const user = { id: userId, email: `owner${n}@owners.example`, name: `Owner ${n}`, password_hash: '-' }
  const session = { account_id: accountId, id: createId(), user_id: userId, token_hash: hashToken(token) }
  const role = options.role ?? 'owner'
  const plan = options.plan ?? 'free'
  return db
    .with('account', (query) =>
      query.insertInto('accounts').values({ id: accountId, name: `Account ${n}`, created_at: now }),
    )
    .with('user', (query) => query.insertInto('users').values({ ...user, created_at: now, email_confirmed_at: now }))
    .with('member', (query) =>
      query.insertInto('members').values({ account_id: accountId, user_id: userId, role, created_at: now }),
    )
    .with('subscription', (query) =>
      query.insertInto('subscriptions').values({ account_id: accountId, plan, status: 'active', updated_at: now }),
    )
    .with('session', (query) =>
      query.insertInto('sessions').values({
        ...session,
        created_at: now,
        last_seen_at: now,
        expires_at: new Date(now.getTime() + 30 * 86_400_000),
      }),
    ) as unknown as Pick<Db, 'with'>
}

async function prepareFlow(world: World, storeId: string, isOn: boolean): Promise<string> {
  return world.db.transaction().execute(async (db) => {
    await createReadyFlow({ storeId, db }, world.now, { locale: null, is_demo: false })
    const ofStore = db.selectFrom('flows').select('id').where('store_id', '=', storeId)
    if (!isOn) return (await ofStore.executeTakeFirstOrThrow()).id
    const flow = await db
      .updateTable('flows')
      .set({ is_on: true, switched_on_at: world.now, takes_from: world.now })
      .where('store_id', '=', storeId)
      .returning('id')
      .executeTakeFirstOrThrow()
    await db.updateTable('stores').set({ effective_timeout_minutes: 60 }).where('id', '=', storeId).execute()
    return flow.id
  })
}

/** Marks the order check as complete now, for tests that do not depend on the store's replies. */
export async function completeOrderCheck(world: World, storeId: string): Promise<void> {
  await world.db
    .updateTable('sync_state')
    .set({ completed_start: world.now, completed_at: world.now })
    .where('store_id', '=', storeId)
    .where('stream', '=', 'order_check')
    .execute()
}

let orderNumber = 1_000

/** Builds an order as a platform client returns it; by default a draft with one tin of tea and an email. */
export function buildOrder(world: World, order: Partial<PlatformOrder> = {}): PlatformOrder {
  const at = world.now.toISOString()
  const kind = order.kind ?? 'draft'
  return {
    orderId: String(++orderNumber),
    kind,
    status: kind === 'purchase' ? 'processing' : kind === 'draft' ? 'checkout-draft' : kind,
    createdAt: at,
    modifiedAt: at,
    paidAt: kind === 'purchase' ? at : null,
    currency: 'USD',
    totalMinor: 4_200,
    refundedMinor: 0,
    customerId: null,
    email: `shopper${orderNumber}@shoppers.example`,
    phone: null,
    firstName: 'Ada',
    lastName: 'Lovelace',
    country: null,
    coupons: [],
    items: [
      {
        productId: '16',
        variationId: null,
        name: 'Earl Grey',
        sku: 'EG',
        quantity: 2,
        unitPriceMinor: 2_100,
        imageUrl: null,
      },
    ],
    source: 'shopper',
    paymentUrl: null,
    ...order,
  }
}
