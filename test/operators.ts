import { createStore, type TestStore } from './factories.ts'
import type { World } from './world.ts'

// Test support: people whose address is in OPERATOR_EMAILS, in different stages of setup.

export const operatorEmails = {
  operator: 'olga@operators.example',
  unconfirmed: 'una@operators.example',
  'without factor': 'wanda@operators.example',
  'without code': 'cora@operators.example',
  demo: 'demo@operators.example',
} as const
export type OperatorKind = keyof typeof operatorEmails

export const operatorEnv = { OPERATOR_EMAILS: Object.values(operatorEmails).join(',') }

/** Signed in to an account of their own, with a second factor except for the kinds without one. */
export async function createOperator(
  world: World,
  kind: OperatorKind = 'operator',
): Promise<TestStore & { email: string }> {
  const { db, now } = world
  const own = await createStore(world)
  const email = operatorEmails[kind]
  const hasFactor = kind !== 'without factor'
  await db
    .updateTable('users')
    .set({ email, email_confirmed_at: kind === 'unconfirmed' ? null : now, totp_confirmed_at: hasFactor ? now : null })
    .where('id', '=', own.userId)
    .execute()
  if (hasFactor && kind !== 'without code') {
    await db.updateTable('sessions').set({ second_factor_at: now }).where('user_id', '=', own.userId).execute()
  }
  if (kind === 'demo') {
    await db.updateTable('accounts').set({ is_demo: true }).where('id', '=', own.accountId).execute()
  }
  return { ...own, email }
}

/** Returns one hash of the content of each table. `without`: tables that background jobs change. */
export async function hashTables(world: World, without: readonly string[] = []): Promise<Record<string, string>> {
  const { rows } = await world.pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  )
  const names = rows.map(({ name }) => name).filter((name) => !without.includes(name))
  const hashes = await Promise.all(
    names.map((name) =>
      world.pool.query<{ hash: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '-') as hash from "${name}" t`,
      ),
    ),
  )
  return Object.fromEntries(names.map((name, index) => [name, hashes[index]!.rows[0]!.hash]))
}
