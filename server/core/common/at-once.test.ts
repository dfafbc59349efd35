import { describe, expect, test } from 'vitest'
import { createWorld } from '../../../test/world.ts'
import { openDb, openPool, snapshot, sql, transactAtOnce, useGenericPlans } from '../db/db.ts'
import { isStalePlan } from '../db/db-unavailable.ts'

// Tests transactions in one round trip on real connections.

const world = createWorld()

const store = () => ({ storeId: 'any', db: world.db })

const fill = async () => {
  await world.pool.query('drop table if exists slots; create table slots (id int primary key, taken int not null)')
  await world.pool.query('insert into slots values (1, 0), (2, 0)')
}

const locking = (id: number) => sql`select 1 from slots where id = ${id} for update`
const taking = (id: number) =>
  sql<{ taken: number }>`update slots set taken = taken + 1 where id = ${id} returning taken`
const readTaken = async () =>
  (await world.pool.query('select taken from slots order by id')).rows.map((row) => row.taken)

const getError = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error) => error,
  )

describe('statements of one transaction, sent in one round trip', () => {
  test('are committed together and return the last statement’s rows', async () => {
    await fill()
    expect(await transactAtOnce(store(), [locking(1), taking(2)], taking(1))).toEqual([{ taken: 1 }])
    expect(await transactAtOnce(store(), [locking(1), taking(2)], taking(1))).toEqual([{ taken: 2 }])
    expect(await readTaken()).toEqual([2, 2])
  })

  test('each see commits made while the previous one waited for a lock', async () => {
    await fill()
    const other = await world.pool.connect()
    await other.query('begin')
    await other.query('update slots set taken = 7')
    const counting = sql<{ sum: number }>`select sum(taken)::int as sum from slots`
    const waiting = transactAtOnce(store(), [locking(1)], counting)
    await expect
      .poll(async () => (await world.pool.query('select 1 from pg_locks where not granted')).rowCount)
      .toBeGreaterThan(0)
    await other.query('commit')
    other.release()
    expect(await waiting).toEqual([{ sum: 14 }])
  })

  test.each([
    ['the first', () => [sql`select 1 / ${0}::int`, taking(2)]],
    ['one in between', () => [taking(2), sql`select 1 / ${0}::int`, taking(2)]],
  ])('roll back, throw the error and keep the connection usable where %s fails', async (_, before) => {
    await fill()
    const idle = world.pool.idleCount
    expect(await getError(transactAtOnce(store(), before(), taking(1)))).toMatchObject({ code: '22012' })
    expect(await readTaken()).toEqual([0, 0])
    expect(world.pool.idleCount).toBe(idle)
    expect(await transactAtOnce(store(), [locking(1)], taking(1))).toEqual([{ taken: 1 }])
    const { rows } = await world.pool.query('select pg_current_xact_id_if_assigned() as open')
    expect(rows).toEqual([{ open: null }])
  })

  test('fail once when a migration invalidates a plan, and never run outside their transaction', async () => {
    await fill()
    const all = () => transactAtOnce(store(), [taking(1)], sql`select * from slots where id = ${1}`)
    // On every connection of the pool.
    for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 12 }, all))
    const before = (await readTaken())[0]
    await world.pool.query('alter table slots add column named text')
    const errors = await Promise.all(Array.from({ length: 12 }, () => getError(all())))
    const stale = errors.filter((error) => error !== null)
    expect(stale.length).toBeGreaterThan(0)
    expect(stale.every(isStalePlan)).toBe(true)
    expect((await readTaken())[0]).toBe(before + 12 - stale.length)
    expect(await all()).toMatchObject([{ named: null }])
  })

  test('release all connections when many run concurrently', async () => {
    await fill()
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => transactAtOnce(store(), [locking(1 + (index % 2))], taking(1))),
    )
    expect(await readTaken()).toEqual([60, 0])
    expect(world.pool.waitingCount).toBe(0)
    expect(world.pool.idleCount).toBe(world.pool.totalCount)
  })
})

describe.each([
  ['with statement names', true],
  ['without', false],
])('force_generic_plan %s', (_, isPrepared) => {
  test('applies only to the transaction that sets it', async () => {
    const url = `${world.pool.options.connectionString}`
    const pool = openPool({ url, max: 1, isPrepared })
    const db = openDb(pool)
    const mode = sql<{
      mode: string
      given: number
    }>`select current_setting('plan_cache_mode') as mode, ${1}::int as given`
    const settings = [{ mode: 'force_generic_plan', given: 1 }]
    try {
      await pool.query("set plan_cache_mode = 'force_custom_plan'")
      expect(await transactAtOnce({ storeId: 'any', db }, [mode], mode)).toEqual(settings)
      const inSnapshot = await snapshot({ storeId: 'any', db }, async (tx) => {
        await useGenericPlans(tx)
        return (await mode.execute(tx.db)).rows
      })
      expect(inSnapshot).toEqual(settings)
      expect(await getError(transactAtOnce({ storeId: 'any', db }, [mode], sql`select 1 / ${0}::int`))).not.toBeNull()
      expect((await mode.execute(db)).rows).toEqual([{ mode: 'force_custom_plan', given: 1 }])
    } finally {
      await pool.end()
    }
  })
})

test('a connection that breaks during the statements is not reused', async () => {
  await fill()
  const ending = sql`select pg_terminate_backend(pg_backend_pid()) where ${1}::int = 1`
  expect(await getError(transactAtOnce(store(), [taking(2), ending], taking(1)))).not.toBeNull()
  expect(await readTaken()).toEqual([0, 0])
  expect(await transactAtOnce(store(), [locking(1)], taking(1))).toEqual([{ taken: 1 }])
})
