import { expect, test } from 'vitest'
import { createDatabaseFactory } from '../../../test/databases.ts'
import { createWorld } from '../../../test/world.ts'
import { loadMigrations } from '../../core/database/files.ts'
import { migrate } from '../../core/database/migrate.ts'

// The budget for SMS and WhatsApp that an account has before its owner sets one.

const databases = createDatabaseFactory()
const world = createWorld()

test('an account without a budget gets twice its most expensive month, no less than $50, and a notice if it has sent texts', async () => {
  const pool = databases.open(await databases.create())
  const all = await loadMigrations()
  await migrate(pool, { migrations: all.filter(({ number }) => number < 36) })
  const ids = [1, 2, 3, 4].map((n) => `0000000${n}-0000-4000-8000-000000000000`)
  const [none, small, large, own] = ids
  for (const id of ids) await pool.query(`insert into accounts (id, name, created_at) values ('${id}', 'A', now())`)
  const spend = (id: string, month: string, micros: number, currency = 'USD') =>
    pool.query(
      `insert into sending_spend (account_id, month, currency, micros) values ('${id}', '${month}', '${currency}', ${micros})`,
    )
  await spend(small!, '2026-05-01', 3_000_000)
  await spend(large!, '2026-05-01', 90_250_001)
  await spend(large!, '2026-06-01', 40_000_000)
  await spend(large!, '2026-06-01', 900_000_000, 'EUR')
  await spend(own!, '2026-06-01', 900_000_000)
  await pool.query(`insert into sending_budgets values ('${own}', 7000000, 'USD', now())`)
  await migrate(pool, { migrations: all })
  const budgets = await pool.query('select monthly_micros / 1000000 as usd from sending_budgets order by account_id')
  expect(budgets.rows.map(({ usd }) => Number(usd))).toEqual([50, 50, 181, 7])
  const notices = await pool.query('select account_id, data from pending_account_notifications order by account_id')
  expect(notices.rows).toEqual([
    { account_id: small, data: { monthly: 50 } },
    { account_id: large, data: { monthly: 181 } },
  ])
  expect(none).toBeDefined()
})

test('a new account has a budget of $50', async () => {
  const body = { email: 'new@owners.example', password: 'correct horse battery', name: 'New Owner' }
  const { status, body: reply } = await world.request('POST', '/api/auth/register', { body })
  expect(status).toBe(200)
  const { token } = reply as { token: string }
  const budget = await world.request('GET', '/api/account/sending-budget', { token })
  expect(budget.body).toMatchObject({ monthly: 50 })
})
