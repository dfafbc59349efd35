import type { Role } from '../../../shared/access/roles.ts'
import type { LinkTokensTable } from '../schema/public.ts'
import { type Db, sql, type Tx } from './db.ts'

// The few queries that run before the store or account is known. No other code may use the unscoped database.

export async function findSessionByToken(db: Db, hash: Buffer, now: Date) {
  const row = await db
    .selectFrom('sessions as s')
    .leftJoin('members as m', (on) =>
      on.onRef('m.account_id', '=', 's.account_id').onRef('m.user_id', '=', 's.user_id'),
    )
    .innerJoin('accounts as a', 'a.id', 's.account_id')
    .select(['s.id', 's.user_id', 's.account_id', 's.store_id', 's.second_factor_at', 's.viewed_until'])
    .select(['m.role', 'a.is_demo', 'a.deleted_at'])
    .where('s.token_hash', '=', hash)
    .where('s.expires_at', '>', now)
    .executeTakeFirst()
  const role = row && getRole(row)
  if (!row || !role) return undefined
  return {
    sessionId: row.id,
    userId: row.user_id,
    accountId: row.account_id,
    storeId: row.store_id,
    role,
    isDemo: row.is_demo,
    secondFactorAt: row.second_factor_at,
    viewedUntil: row.viewed_until,
  }
}

/** An operator who views an account sees what a viewer sees, member or not. */
function getRole(row: { role: Role | null; viewed_until: Date | null; deleted_at: Date | null }): Role | null {
  if (!row.viewed_until) return row.role
  return row.deleted_at ? null : 'viewer'
}

export function findStoreByCaptureKey(db: Db, captureKey: string) {
  return db
    .selectFrom('stores')
    .select(['id', 'account_id', 'platform', 'url', 'home_url', 'is_active'])
    .where('capture_key', '=', captureKey)
    .executeTakeFirst()
}

/** A shop's page without a key sends its address. Two accounts may use the demo's. */
export function findStoresByAddress(db: Db, url: string) {
  return (
    db
      .selectFrom('stores')
      .select(['id', 'account_id', 'url', 'home_url', 'name', 'capture_key', 'is_active'])
      .where((eb) => eb.or([eb('url', '=', url), eb('home_url', '=', url)]))
      .where('is_active', '=', true)
      // Addresses named only by a plugin are unproven and may belong to another shop.
      .orderBy('is_address_proven', 'desc')
      .orderBy('id')
      .limit(20)
      .execute()
  )
}

/** Unproven stores of other accounts at this address. */
export async function listUnprovenStores(db: Db | Tx, homeUrl: string, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('stores')
    .select('id')
    .where('home_url', '=', homeUrl)
    .where('is_active', '=', true)
    .where('is_address_proven', '=', false)
    .where('account_id', '<>', accountId)
    .execute()
  return rows.map(({ id }) => id)
}

/** Whether another account has a proven store at this address. */
export async function isProvenElsewhere(db: Db | Tx, homeUrl: string, accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom('stores')
    .select('id')
    .where('home_url', '=', homeUrl)
    .where('is_active', '=', true)
    .where('is_demo', '=', false)
    .where('is_address_proven', '=', true)
    .where('account_id', '<>', accountId)
    .executeTakeFirst()
  return row !== undefined
}

/** The code that connects a shop's plugin, in any account, with the role of the user who confirmed it. */
export function findPluginCode(db: Db, id: string) {
  return db
    .selectFrom('plugin_codes as c')
    .leftJoin('members as m', (on) =>
      on.onRef('m.account_id', '=', 'c.account_id').onRef('m.user_id', '=', 'c.user_id'),
    )
    .innerJoin('accounts as a', 'a.id', 'c.account_id')
    .selectAll('c')
    .select(['m.role', 'a.name as account_name'])
    .where('c.id', '=', id)
    .where('a.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** The store of a calling plugin, connected or not. */
export function findPluginStore(db: Db, storeId: string) {
  return db
    .selectFrom('plugin_connections as p')
    .innerJoin('stores as s', 's.id', 'p.store_id')
    .select(['s.id', 's.account_id', 's.is_active', 's.home_url'])
    .where('s.id', '=', storeId)
    .executeTakeFirst()
}

/** Looks up the stores of many shops' posts together. */
export function findStoresByCaptureKeys(db: Db, captureKeys: readonly string[]) {
  return db
    .selectFrom('stores')
    .select(['id', 'capture_key', 'url', 'home_url', 'is_active', 'before_consent'])
    .where('capture_key', '=', sql<string>`any(${[...captureKeys]}::text[])`)
    .execute()
}

/** Stores all posts in one commit, across stores. */
export async function insertPosts(
  db: Db,
  posts: readonly { store_id: string; id: string; received_at: Date; post: object }[],
): Promise<void> {
  await sql`
    insert into capture_inbox (store_id, id, received_at, post)
    select p.* from jsonb_to_recordset(${JSON.stringify(posts)}::jsonb)
      as p(store_id uuid, id uuid, received_at timestamptz, post jsonb)`.execute(db)
}

/** Stores with unprocessed posts older than the limit, or with a timestamp in the future after a clock step. */
export async function listStoresWithPosts(db: Db, now: Date, olderThanMs: number): Promise<string[]> {
  const [before, after] = [now.getTime() - olderThanMs, now.getTime() + olderThanMs].map((time) => new Date(time))
  const rows = await sql<{ store_id: string }>`
    select distinct store_id from (
      (select store_id from capture_inbox where received_at <= ${before} order by received_at limit 1000)
      union all
      (select store_id from capture_inbox where received_at > ${after} order by received_at limit 1000)) left_behind`.execute(
    db,
  )
  return rows.rows.map((row) => row.store_id)
}

/** Stores with shoppers to be asked for an opt-in confirmation. */
export async function listStoresWithOptInRequests(db: Db, now: Date): Promise<string[]> {
  const rows = await sql<{ store_id: string }>`
    select distinct store_id from opt_in_requests where state = 'waiting' and due_at <= ${now}`.execute(db)
  return rows.rows.map((row) => row.store_id)
}

/** Stores with messages whose price the provider should know by now, longest waiting first. */
export async function listStoresWithPriceLookups(db: Db, now: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ store_id: string }>`
    select store_id from (select store_id, next_at from price_lookups where next_at <= ${now} order by next_at limit ${limit}) due
    group by store_id order by min(next_at)`.execute(db)
  return rows.rows.map((row) => row.store_id)
}

type LinkPurpose = LinkTokensTable['purpose']

/** A link's token in any store; the purpose must match (X1). */
export function findLinkToken(db: Db, hash: Buffer, purpose: LinkPurpose, now: Date) {
  return db
    .selectFrom('link_tokens')
    .selectAll()
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/**
 * A message in any store with a provider call after `since`, except of erased persons. A refused message may have
 * arrived all the same, so its age is that of its last decision.
 */
export function findSentMessage(db: Db, messageId: string, since: Date) {
  return db
    .selectFrom('messages')
    .select(['id', 'store_id'])
    .where('id', '=', messageId)
    .where('to_address', 'is not', null)
    .where(
      sql<boolean>`case when sending_at is null then attempts > 0 and decided_at > ${since} else sending_at > ${since} end`,
    )
    .executeTakeFirst()
}

/** Leases last seconds: a later end was set before the clock stepped back. */
const MAX_LEASE_MS = 2 * 60_000

/** Stores with due messages and no active sender, longest waiting first. */
export function listDueStores(db: Db, now: Date, limit: number) {
  return db
    .selectFrom('send_schedule')
    .select('store_id')
    .where('next_due_at', '<=', now)
    .where((eb) =>
      eb.or([
        eb('lease_until', 'is', null),
        eb('lease_until', '<=', now),
        eb('lease_until', '>', new Date(now.getTime() + MAX_LEASE_MS)),
      ]),
    )
    .orderBy('next_due_at')
    .limit(limit)
    .execute()
}

/** An open invitation by its link's token, in any account. */
export function findInvitationByToken(db: Db, hash: Buffer, now: Date) {
  return db
    .selectFrom('invitations as i')
    .innerJoin('accounts as a', 'a.id', 'i.account_id')
    .leftJoin('users as u', 'u.id', 'i.invited_by')
    .select(['i.account_id', 'i.email', 'i.role', 'a.name as account_name', 'u.name as invited_by'])
    .where('i.token_hash', '=', hash)
    .where('i.expires_at', '>', now)
    .where('a.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** The account whose provider calls this webhook, with the credentials that verify the call. */
export function findCredentialsByHook(db: Db, hookKey: string) {
  return db
    .selectFrom('channel_credentials')
    .select(['account_id', 'channel', 'provider', 'encrypted', 'identity'])
    .where('hook_key', '=', hookKey)
    .executeTakeFirst()
}

/** A mail sent or being sent, by the id in its return address or provider report. */
export function findMailById(db: Db, messageId: string) {
  return db
    .selectFrom('messages as m')
    .innerJoin('stores as s', 's.id', 'm.store_id')
    .select(['m.id', 'm.store_id', 'm.shopper_id', 'm.cart_id', 's.account_id'])
    .select((eb) => eb.ref('m.to_address').$notNull().as('to_address'))
    .where('m.id', '=', messageId)
    .where('m.channel', '=', 'email')
    .where('m.to_address', 'is not', null)
    .executeTakeFirst()
}

/** Accounts that sent texts to a person by the operator's number, newest first. */
export async function listAccountsThatTexted(db: Db, addressHashes: readonly Buffer[]): Promise<string[]> {
  const rows = await db
    .selectFrom('operator_text_contacts')
    .select('account_id')
    .where('address_hash', 'in', [...addressHashes])
    .groupBy('account_id')
    .orderBy(({ fn }) => fn.max('last_at'), 'desc')
    .execute()
  return rows.map((row) => row.account_id)
}

/** The pg-boss queues among these that have a job ready to run. */
export async function listReadyQueues(db: Db, names: readonly string[]): Promise<string[]> {
  const rows = await sql<{ name: string }>`
    select q.name from unnest(${[...names]}::text[]) as q(name) where exists (
      select 1 from pgboss.job j where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= now())`.execute(
    db,
  )
  return rows.rows.map((row) => row.name)
}
