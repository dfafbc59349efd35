import crypto from 'node:crypto'
import { subtractMs } from '../server/access/stores/rules.ts'
import { checkOrders } from '../server/carts/sync/order-check.ts'
import type { Stream } from '../server/carts/sync/sync-sql.ts'
import { DEFAULT_PLATFORM } from '../shared/platforms/platforms.ts'
import { buildOrder, createFakeStore, type FakeStore } from './fake-store.ts'
import { confirmEmail } from './visitor.ts'
import type { World } from './world.ts'

// Test support: an owner with a plan, and a store connected through the API.

export interface Owner {
  token: string
  userId: string
  accountId: string
}

export async function registerOwner(world: World, plan: 'free' | 'starter' | 'growth' | null = 'free'): Promise<Owner> {
  const { body } = await world.request('POST', '/api/auth/register', {
    body: { name: 'Ada', email: `${crypto.randomUUID()}@owner.example.com`, password: 'secret' },
  })
  await confirmEmail(world, body.user.id)
  const { account_id } = await world.db
    .selectFrom('members')
    .select('account_id')
    .where('user_id', '=', body.user.id)
    .executeTakeFirstOrThrow()
  // Keeps the sign-up limit from blocking later owners in the same file.
  await world.db.deleteFrom('rate_limits').execute()
  // Without billing, registration has already assigned a plan.
  if (plan) {
    const its = {
      plan,
      status: 'active' as const,
      source: 'operator' as const,
      is_unlimited: false,
      updated_at: world.now,
    }
    await world.db
      .insertInto('subscriptions')
      .values({ account_id, ...its })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(its))
      .execute()
  }
  return { token: body.token, userId: body.user.id, accountId: account_id }
}

export const createHomeUrl = () => `https://${crypto.randomUUID().slice(0, 8)}.example.com`

export function connectFakeStore(world: World, owner: Owner, fake: FakeStore, more: Record<string, unknown> = {}) {
  world.storeClient = (access) => {
    fake.access = access
    return fake
  }
  return world.request('POST', '/api/stores/connect-store', {
    token: owner.token,
    body: {
      platform: DEFAULT_PLATFORM,
      store_url: fake.profile.storeUrl,
      consumer_key: 'ck_0123456789abcdef',
      consumer_secret: 'cs_fedcba9876543210',
      ...more,
    },
  })
}

export interface ConnectedStore {
  owner: Owner
  fake: FakeStore
  storeId: string
  captureKey: string
}

export async function createConnectedStore(
  world: World,
  plan: 'free' | 'starter' | 'growth' = 'free',
  fake = createFakeStore(createHomeUrl()),
): Promise<ConnectedStore> {
  const owner = await registerOwner(world, plan)
  const { body } = await connectFakeStore(world, owner, fake)
  world.queued.length = 0
  return { owner, fake, storeId: body.store.id, captureKey: body.store.captureKey }
}

/** Calls that tests of the store screens share. */
export const createOwnerCalls = (world: World) => ({
  check: (owner: Owner, query = '') =>
    world.request('GET', `/api/stores/check-connection${query}`, { token: owner.token }),
  disconnect: (owner: Owner, query = '') =>
    world.request('DELETE', `/api/stores/disconnect${query}`, { token: owner.token }),
  storeRow: (storeId: string) => world.db.selectFrom('stores').selectAll().where('id', '=', storeId).executeTakeFirst(),
})

const MINUTE_MS = 60_000

/** Calls and queries that tests of store syncs share. */
export function createSyncHelpers(world: World) {
  const formatTimeBefore = (ms: number) => subtractMs(world.now, ms).toISOString()
  return {
    formatTimeBefore,
    runOrderCheck: (storeId: string, signal?: AbortSignal) =>
      checkOrders(world.deps, { storeId, db: world.db }, signal ? { signal } : {}),
    async readOrderIds(storeId: string) {
      const orders = world.db.selectFrom('orders').select('order_id').where('store_id', '=', storeId)
      return (await orders.orderBy('order_id').execute()).map((row) => row.order_id)
    },
    readStream: (storeId: string, stream: Stream) =>
      world.db
        .selectFrom('sync_state')
        .selectAll()
        .where('store_id', '=', storeId)
        .where('stream', '=', stream)
        .executeTakeFirstOrThrow(),
    /** Five orders, the newest one minute old: three pages. */
    async connectStoreWithOrders(): Promise<ConnectedStore> {
      const connected = await createConnectedStore(world)
      connected.fake.allOrders = [5, 4, 3, 2, 1].map((minutes) =>
        buildOrder({ orderId: String(minutes), modifiedAt: formatTimeBefore(minutes * MINUTE_MS) }),
      )
      return connected
    },
  }
}
