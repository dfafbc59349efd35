import { type AccountDb, type AccountTx, type StoreTx, sql } from '../../core/db/public.ts'

// SQL for throttled receiving domains.

export interface DomainThrottleRow {
  domain: string
  kind: 'deferred' | 'blocked'
  weight: number
  pauses: number
  since: Date
  paused_until: Date | null
  probe_id: string | null
  probe_until: Date | null
  answer: string
  updated_at: Date
  told_at: Date | null
}

const COLUMNS = sql`domain, kind, weight, pauses, since, paused_until, probe_id, probe_until, answer, updated_at, told_at`

type Tx = Pick<StoreTx, 'db'>

export async function readThrottles(
  { db }: Tx,
  accountId: string,
  domains: readonly string[],
): Promise<DomainThrottleRow[]> {
  if (domains.length === 0) return []
  const rows = await sql<DomainThrottleRow>`select ${COLUMNS} from domain_throttles
    where account_id = ${accountId} and domain = any(${[...domains]}::text[])`.execute(db)
  return rows.rows
}

/** Locks the rows in a fixed order. */
export async function lockThrottles(
  { db }: Tx,
  accountId: string,
  domains: readonly string[],
): Promise<DomainThrottleRow[]> {
  const rows = await sql<DomainThrottleRow>`select ${COLUMNS} from domain_throttles
    where account_id = ${accountId} and domain = any(${[...domains]}::text[]) order by domain for update`.execute(db)
  return rows.rows
}

export async function setProbes(
  { db }: Tx,
  accountId: string,
  probes: readonly { domain: string; id: string }[],
  until: Date,
): Promise<void> {
  await sql`update domain_throttles r set probe_id = p.id, probe_until = ${until}
    from jsonb_to_recordset(${JSON.stringify(probes)}::jsonb) as p(domain text, id uuid)
    where r.account_id = ${accountId} and r.domain = p.domain`.execute(db)
}

/** Ends probes whose replies concerned only the address, so that another message may probe. */
export async function endProbes({ db, accountId }: AccountTx, ids: readonly string[]): Promise<void> {
  await sql`update domain_throttles set probe_id = null, probe_until = null
    where account_id = ${accountId} and probe_id = any(${[...ids]}::uuid[])`.execute(db)
}

/** Reopens domains that accept mail again. Returns those whose owner had been notified of the throttling. */
export async function reopen({ db, accountId }: AccountTx, domains: readonly string[]): Promise<string[]> {
  const rows = await sql<{ domain: string; told_at: Date | null }>`delete from domain_throttles
    where account_id = ${accountId} and domain = any(${[...domains]}::text[]) returning domain, told_at`.execute(db)
  return rows.rows.flatMap((row) => (row.told_at ? [row.domain] : []))
}

/** Stores the state and ends the domain's probe. */
export async function saveThrottle(
  { db, accountId }: AccountTx,
  row: Omit<DomainThrottleRow, 'probe_id' | 'probe_until'> & { isProbe: boolean },
): Promise<void> {
  const { domain, kind, weight, pauses, since, paused_until, answer, updated_at, told_at, isProbe } = row
  await sql`
    insert into domain_throttles (account_id, domain, kind, weight, pauses, since, paused_until, answer, updated_at, told_at)
    values (${accountId}, ${domain}, ${kind}, ${weight}, ${pauses}, ${since}, ${paused_until}, ${answer}, ${updated_at}, ${told_at})
    on conflict (account_id, domain) do update set kind = excluded.kind, weight = excluded.weight, pauses = excluded.pauses,
      since = excluded.since, paused_until = excluded.paused_until, answer = excluded.answer,
      updated_at = excluded.updated_at, told_at = excluded.told_at,
      probe_id = case when ${isProbe} then null else domain_throttles.probe_id end,
      probe_until = case when ${isProbe} then null else domain_throttles.probe_until end`.execute(db)
}

/** Lists the paused domains, newest first. */
export async function listThrottledDomains({ db, accountId }: AccountDb): Promise<DomainThrottleRow[]> {
  const rows = await sql<DomainThrottleRow>`select ${COLUMNS} from domain_throttles
    where account_id = ${accountId} and pauses > 0 order by since desc, domain limit 100`.execute(db)
  return rows.rows
}
