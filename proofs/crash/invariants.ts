import { type Db, sql } from '../../server/core/db/db.ts'
import type { AcceptedMail } from './mail-server.ts'

// Checks the invariants after a crash, from the database and the mail server's log.

/** The worker's pool (SMTP_POOL): the maximum of messages in flight when it dies (D10). */
export const POOL = 5

export interface Row {
  id: string
  state: string
  reason: string | null
  email: string
  worker_id: string | null
  claim: string | null
  /** null: no reply was recorded. */
  provider_response: string | null
  wake_at: Date
  finished_at: Date | null
}

/** Messages due for the shoppers of one run. */
export async function loadRows(db: Db, domain: string): Promise<Row[]> {
  const rows = await sql<Row>`
    select m.id, coalesce(m.answer ->> 'state', m.state) as state, m.reason, c.email, m.worker_id, m.claim, m.provider_response, m.wake_at, m.finished_at
    from messages m join carts c on c.store_id = m.store_id and c.id = m.cart_id
    where m.due_at <= now() and c.email like ${`%@${domain}`}`.execute(db)
  return rows.rows
}

const FINAL = new Set(['sent', 'failed', 'skipped', 'unknown'])

export const isFinal = (row: Row): boolean => FINAL.has(row.state)

/** The reply and its follow-ups are recorded. */
export const isClosed = (row: Row): boolean => isFinal(row) && row.claim === null && row.finished_at !== null

/** Final state a treatment leads to; a message in flight during a crash may be `unknown` instead. */
const ENDS: Record<string, string> = { gone: 'skipped', nobody: 'failed', spam: 'failed' }
const SILENT = new Set(['hang', 'drop', 'die'])

/** Every invariant the rows of a run violate, as sentences; empty if none. */
export function findProblems(
  rows: readonly Row[],
  accepted: readonly AcceptedMail[],
  dead: ReadonlySet<string>,
): string[] {
  return [
    ...findDuplicates(accepted.map(({ key }) => key)).map((key) => `message ${key} was accepted twice`),
    ...findDuplicates(accepted.map(({ to }) => to)).map((to) => `${to} was sent two messages`),
    ...findDuplicates(rows.map(({ email }) => email)).map((email) => `${email} has two due rows`),
    ...rows.flatMap((row) => findRowProblems(row, accepted, dead)),
    ...[...new Set(rows.map((row) => row.worker_id))].flatMap((worker) => {
      const unknown = rows.filter((row) => isAbandoned(row) && row.worker_id === worker)
      return unknown.length > POOL ? [`${unknown.length} unknown rows of one worker`] : []
    }),
  ]
}

/** In flight when its process died: the reply was lost. */
export const isAbandoned = (row: Row): boolean => row.state === 'unknown' && row.provider_response === null

const parseTreatment = ({ email }: Row): string => email.slice(0, email.indexOf('-'))

function findRowProblems(row: Row, accepted: readonly AcceptedMail[], dead: ReadonlySet<string>): string[] {
  const treatment = parseTreatment(row)
  const receipt = accepted.find(({ key }) => key === row.id)
  const expected = SILENT.has(treatment) ? 'unknown' : (ENDS[treatment] ?? 'sent')
  // A dying mail server loses the replies to everything in flight.
  const isMailServerDead = accepted.some(({ to }) => to.startsWith('die-'))
  const isExcused = isAbandoned(row) ? dead.has(row.worker_id!) : row.state === 'unknown' && isMailServerDead
  const what = `${row.email} is ${row.state}${row.reason ? ` (${row.reason})` : ''}`
  return [
    ...(row.state !== expected && !isExcused ? [`${what}, not ${expected}`] : []),
    ...(row.state === 'sent' && !receipt?.isAnswered ? [`${what}, but the mail server did not accept it`] : []),
    ...(receipt && row.state !== 'sent' && row.state !== 'unknown' ? [`${what}, but was accepted`] : []),
    ...(!isClosed(row) ? [`${what}, but not closed`] : []),
  ]
}

function findDuplicates(values: readonly string[]): string[] {
  return values.filter((value, at) => values.indexOf(value) !== at)
}

/** Differences between counters and rows, over the whole database. */
export async function findCounterErrors(db: Db): Promise<string[]> {
  const rows = await sql<{ problem: string }>`
    with handed as (
      select s.account_id, count(*) filter (where m.state in ('sending', 'sent', 'delivered', 'unknown')) as rows
      from messages m join stores s on s.id = m.store_id group by 1),
    used as (select account_id, sum(used) as used from plan_usage where channel = 'email' group by 1),
    carts_of as (
      select c.id, coalesce(b.badge, 'No Action') as badge, b.last_sent_at, b.no_response_at, max(m.sending_at) as at
      from carts c join messages m on m.store_id = c.store_id and m.cart_id = c.id
      left join cart_badges b on b.store_id = c.store_id and b.cart_id = c.id group by 1, 2, 3, 4),
    listed as (
      select c.store_id, b.badge, count(*) as count from carts c left join cart_badges b on b.store_id = c.store_id and b.cart_id = c.id
      where c.status in ('abandoned', 'recovered', 'lost') group by 1, 2),
    counted as (select store_id, badge, sum(change) as count from cart_counts group by 1, 2),
    known as (
      select store_id, is_registered, count(*) as count from shoppers where is_customer group by 1, 2),
    customers_counted as (select store_id, is_registered, sum(change) as count from customer_counts group by 1, 2),
    recorded as (
      select m.id, m.state, count(*) filter (where d.outcome = 'send') as sends,
        count(*) filter (where d.outcome = 'result') as results
      from messages m join decision_records d on d.store_id = m.store_id and d.message_id = m.id
      where m.state in ('sent', 'failed', 'unknown') group by 1, 2)
    select format('plan usage %s, rows %s', coalesce(u.used, 0), coalesce(h.rows, 0)) as problem
      from handed h full join used u using (account_id) where coalesce(u.used, 0) <> coalesce(h.rows, 0)
    union all
    select format('cart %s: badge %s, sent %s, its rows have %s', id, badge, last_sent_at, at) from carts_of
      where last_sent_at is distinct from at or no_response_at is distinct from at + interval '24 hours'
        or badge <> case when at is null then 'No Action' else 'Email Sent' end
    union all
    select format('carts listed as %s: counted %s, rows %s', badge, coalesce(c.count, 0), coalesce(l.count, 0))
      from listed l full join counted c using (store_id, badge) where coalesce(l.count, 0) <> coalesce(c.count, 0)
    union all
    select format('customers (registered: %s): counted %s, rows %s', is_registered, coalesce(c.count, 0), coalesce(k.count, 0))
      from known k full join customers_counted c using (store_id, is_registered) where coalesce(k.count, 0) <> coalesce(c.count, 0)
    union all
    select format('message %s (%s): %s sends recorded, %s results', id, state, sends, results) from recorded
      where sends = 0 or results < sends`.execute(db)
  return rows.rows.map(({ problem }) => problem)
}
