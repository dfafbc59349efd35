import crypto from 'node:crypto'
import type { World } from '../../test/world.ts'
import { aFakeStore, type FakeStore } from './fake-store.ts'

// Test support: an owner with a plan, and a store connected through the front door.

export interface Owner {
  token: string
  userId: string
  accountId: string
}

export async function anOwner(world: World, plan: 'free' | 'starter' | 'growth' | null = 'free'): Promise<Owner> {
  const { body } = await world.request('POST', '/api/auth/register', {
    body: { name: 'Ada', email: `${crypto.randomUUID()}@owner.example.com`, password: 'secret' },
  })
  const { account_id } = await world.db
    .selectFrom('members')
    .select('account_id')
    .where('user_id', '=', body.user.id)
    .executeTakeFirstOrThrow()
  // The next owner may register as well, however many a file makes.
  await world.db.deleteFrom('rate_limits').execute()
  if (plan) {
    await world.db
      .insertInto('subscriptions')
      .values({ account_id, plan, status: 'active', updated_at: world.now })
      .execute()
  }
  return { token: body.token, userId: body.user.id, accountId: account_id }
}

export const aHome = () => `https://${crypto.randomUUID().slice(0, 8)}.example.com`

export function connect(world: World, owner: Owner, fake: FakeStore, more: Record<string, unknown> = {}) {
  world.storeClient = (_platform, access) => {
    fake.access = access
    return fake
  }
  return world.request('POST', '/api/stores/connect-store', {
    token: owner.token,
    body: {
      platform: 'woocommerce',
      store_url: fake.profile.storeUrl,
      consumer_key: 'ck_0123456789abcdef',
      consumer_secret: 'cs_fedcba9876543210',
      ...more,
    },
  })
}

export interface Connected {
  owner: Owner
  fake: FakeStore
  storeId: string
  captureKey: string
}

export async function aConnectedStore(
  world: World,
  plan: 'free' | 'starter' | 'growth' = 'free',
  fake = aFakeStore(aHome()),
): Promise<Connected> {
  const owner = await anOwner(world, plan)
  const { body } = await connect(world, owner, fake)
  world.queued.length = 0
  return { owner, fake, storeId: body.store.id, captureKey: body.store.captureKey }
}
