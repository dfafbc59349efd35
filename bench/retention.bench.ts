import { setTimeout as sleep } from 'node:timers/promises'
import { runRetention } from '../server/workspace/privacy/retention.ts'
import type { Bench, Figure } from './figures.ts'
import type { AppInstance, Lab } from './lab.ts'
import { measureMs } from './measure.ts'

// Method: a store with 100,000 contacts without orders, last seen over a year ago, each with a cart, a fact and up to
// three messages, next to a store with 100,000 retained contacts. The nightly job erases the first ones (C10).
// Meanwhile a second connection samples the age of the job's oldest transaction, and a third one updates contacts that
// are about to be erased, as a post from the shop's pages would.

export const bench: Bench = { name: 'retention', run }

const PEOPLE = 100_000
const DAY = '2026-01-01'

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open()
  try {
    const store = await instance.store()
    const other = await instance.store()
    const count = lab.sized(PEOPLE)
    await instance.carts(store, { count, hasPast: true })
    await instance.carts(other, { count, hasPast: true })
    await ageContacts(instance, store.storeId)
    const watching = watchLocks(instance, store.storeId)
    const ms = await measureMs(async () => {
      do await runRetention(instance.deps, { storeId: store.storeId, day: DAY })
      while (!(await isDone(instance)))
    })
    const { held, waits } = await watching.stop()
    const { rows } = await instance.pool.query(
      'select contacts + customers as erased from retention_runs where store_id = $1',
      [store.storeId],
    )
    const { rows: remaining } = await instance.pool.query(
      `select count(*)::int as n from shoppers where store_id = $1 and email is not null`,
      [store.storeId],
    )
    if (remaining[0].n > waits.length) throw new Error(`${remaining[0].n} contacts are left`)
    const longest = Math.max(0, ...waits)
    return [
      {
        name: `retention of ${rows[0].erased.toLocaleString('en-US')} contacts`,
        value: ms / 60_000,
        unit: 'min',
        goal: { below: 240 },
      },
      { name: 'longest a batch held its locks', value: held.ms, unit: 'ms', goal: { below: 100 }, note: held.doing },
      {
        name: 'longest another change of a contact waited',
        value: longest,
        unit: 'ms',
        goal: { below: 100 },
        note: `${waits.length.toLocaleString('en-US')} changes`,
      },
    ]
  } finally {
    await instance.close()
  }
}

/** Moves all times back by a year and a half. */
async function ageContacts({ pool }: AppInstance, storeId: string): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    for (const [table, columns] of Object.entries(TIMES)) {
      const changes = columns.map((column) => `${column} = ${column} - interval '400 days'`).join(', ')
      await client.query(`update ${table} set ${changes} where store_id = $1`, [storeId])
    }
    await client.query('update stores set retention_days = 180 where id = $1', [storeId])
    // Closes all messages.
    await client.query(
      `update messages set state = 'cancelled', reason = 'lost' where store_id = $1 and state in ('scheduled', 'held', 'claimed', 'sending')`,
      [storeId],
    )
    await client.query('commit')
  } finally {
    client.release()
  }
  for (const table of Object.keys(TIMES)) await pool.query(`vacuum analyze ${table}`)
}

const TIMES = {
  shoppers: ['first_seen_at', 'created_at'],
  carts: ['started_at', 'last_activity_at', 'created_at'],
  facts: ['at', 'received_at'],
}

async function isDone({ pool }: AppInstance): Promise<boolean> {
  const { rows } = await pool.query('select finished_at from retention_runs')
  return rows[0]?.finished_at !== null
}

function watchLocks(instance: AppInstance, storeId: string) {
  let isOver = false
  let held = { ms: 0, doing: '' }
  const waits: number[] = []
  const looking = (async () => {
    const client = await instance.pool.connect()
    const { rows: own } = await client.query('select pg_backend_pid() as pid')
    while (!isOver) {
      const { rows } = await client.query(
        `select (extract(epoch from clock_timestamp() - a.xact_start) * 1000)::float8 as ms,
           concat_ws(' ', a.wait_event, left(regexp_replace(a.query, '\\s+', ' ', 'g'), 60)) as doing
         from pg_stat_activity a where a.datname = current_database() and a.pid <> $1 and a.backend_xid is not null
           -- autovacuum locks no rows
           and a.backend_type = 'client backend' and a.application_name is distinct from 'bench probe'
         order by a.xact_start limit 1`,
        [own[0].pid],
      )
      if (rows[0]?.ms > held.ms) held = rows[0]
      await sleep(2)
    }
    client.release()
  })()
  const changing = (async () => {
    const client = await instance.pool.connect()
    await client.query(`set application_name = 'bench probe'`)
    while (!isOver) {
      const { rows } = await client.query(
        `select id from shoppers where store_id = $1 and ended_at is null order by first_seen_at, id offset $2 limit 1`,
        [storeId, Math.floor(Math.random() * 60)],
      )
      if (rows[0]) {
        const startedAt = performance.now()
        await client.query('update shoppers set language = null where store_id = $1 and id = $2', [storeId, rows[0].id])
        waits.push(performance.now() - startedAt)
      }
      await sleep(5)
    }
    await client.query('reset application_name')
    client.release()
  })()
  return {
    async stop() {
      isOver = true
      await Promise.all([looking, changing])
      return { held, waits }
    },
  }
}
