import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { CompiledQuery } from 'kysely'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Deps } from '../../deps.ts'
import { AppError } from '../common/public.ts'
import { type RawBuilder, sql, type Tx } from './db.ts'

// Rate limits, stored in PostgreSQL and shared by all processes.

/** At most `points` in `windowS` seconds per subject (an address, an account, a client). */
export interface Limit {
  name: string
  points: number
  windowS: number
}

/**
 * Takes one point or throws `rate_limited` with the waiting time. Call it before the attempt, so that parallel attempts
 * count too.
 */
export async function takePoint(deps: Pick<Deps, 'pool' | 'secrets'>, limit: Limit, subject: string): Promise<void> {
  const waitS = await tryTakePoint(deps, limit, subject)
  if (waitS > 0) throw rateLimitedError(waitS)
}

export const rateLimitedError = (waitS: number) =>
  new AppError('rate_limited', `Too many attempts. Please try again in ${formatWaitingTime(waitS)}.`, {
    retryAfterS: waitS,
  })

/** Returns 0 when the point was taken, else the seconds to wait. */
export const tryTakePoint = (deps: Pick<Deps, 'pool' | 'secrets'>, limit: Limit, subject: string): Promise<number> =>
  consume(deps, limit, subject, 1)

/** Takes several points in the caller's transaction. Roll back when not all of them are available. */
export const takeMany = (
  { secrets }: Pick<Deps, 'secrets'>,
  limit: Limit,
  { db, subject, count }: { db: Tx; subject: string; count: number },
): Promise<number> => consume({ secrets, pool: createQueryRunner(db) }, limit, subject, count)

interface Queries {
  query(text: string, values: unknown[]): Promise<unknown>
}
type Counting = Pick<Deps, 'secrets'> & { pool: Queries }

// One parameter more than usual, because tryTake is called everywhere with the first three.
async function consume(deps: Counting, limit: Limit, subject: string, points: number): Promise<number> {
  try {
    await createLimiter(deps, limit).consume(limitKey(deps, limit, subject), points)
    return 0
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))
    throw refusal
  }
}

/**
 * A point as part of a larger statement, which compares the returned `points` with the limit itself. Takes one point
 * for each row of `from`, which has at most one.
 */
export function takePointSql(
  deps: Pick<Deps, 'secrets'>,
  { name, windowS }: Omit<Limit, 'points'>,
  { subject, from }: { subject: string; from: RawBuilder<unknown> },
): RawBuilder<{ points: number }> {
  const now = Date.now()
  const key = `${name}:${limitKey(deps, { name }, subject)}`
  return sql`insert into rate_limits as l (key, points, expire) select ${key}, 1, ${now + windowS * 1_000}::bigint ${from}
    on conflict (key) do update set points = case when l.expire <= ${now} then 1 else l.points + 1 end,
      expire = case when l.expire <= ${now} then excluded.expire else l.expire end returning l.points`
}

/** Takes up to `size` points at once. `others`: points left after that; `endsAt`: end of the window, as `Date.now()`. */
export async function takeLot(
  deps: Pick<Deps, 'pool' | 'secrets'>,
  limit: Limit,
  { subject, size }: { subject: string; size: number },
): Promise<{ taken: number; others: number; endsAt: number }> {
  const now = Date.now()
  const key = `${limit.name}:${limitKey(deps, limit, subject)}`
  const { rows } = await deps.pool.query<{ points: number; expire: string }>(
    `insert into rate_limits as l (key, points, expire) values ($1, $2, $3)
     on conflict (key) do update set
       points = case when l.expire <= $4 then excluded.points else least(l.points, $5) + excluded.points end,
       expire = case when l.expire <= $4 then excluded.expire else l.expire end
     returning points, expire`,
    [key, size, now + limit.windowS * 1_000, now, limit.points],
  )
  const { points, expire } = rows[0]!
  const taken = Math.min(size, Math.max(0, limit.points - (points - size)))
  return { taken, others: Math.max(0, limit.points - points), endsAt: Number(expire) }
}

/** Takes a point and reports whether it was the last one. */
export async function takeStep(
  deps: Pick<Deps, 'pool' | 'secrets'>,
  limit: Limit,
  subject: string,
): Promise<{ waitS: number; isLast: boolean }> {
  try {
    const { remainingPoints } = await createLimiter(deps, limit).consume(limitKey(deps, limit, subject))
    return { waitS: 0, isLast: remainingPoints === 0 }
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal
    return { waitS: Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000)), isLast: false }
  }
}

/** Counts an attempt and returns the number of attempts, this one included. */
export async function count(deps: Pick<Deps, 'pool' | 'secrets'>, limit: Limit, subject: string): Promise<number> {
  return (await createLimiter(deps, limit).consume(limitKey(deps, limit, subject))).consumedPoints
}

/** Whether a point was taken within the window. */
export async function hasUsedPoint(
  deps: Pick<Deps, 'pool' | 'secrets'>,
  limit: Limit,
  subject: string,
): Promise<boolean> {
  const found = await createLimiter(deps, limit).get(limitKey(deps, limit, subject))
  return found !== null && found.consumedPoints > 0
}

/** Refuses further points for the given time. */
export async function block(
  deps: Pick<Deps, 'pool' | 'secrets'>,
  limit: Limit,
  { subject, seconds }: { subject: string; seconds: number },
): Promise<void> {
  await createLimiter(deps, limit).block(limitKey(deps, limit, subject), seconds)
}

/** Returns the point of a successful attempt. */
export async function returnPoint(deps: Pick<Deps, 'pool' | 'secrets'>, limit: Limit, subject: string): Promise<void> {
  await createLimiter(deps, limit).reward(limitKey(deps, limit, subject), 1)
}

export async function resetLimit(deps: Pick<Deps, 'pool' | 'secrets'>, limit: Limit, subject: string): Promise<void> {
  await createLimiter(deps, limit).delete(limitKey(deps, limit, subject))
}

function createLimiter(deps: Counting, limit: Limit): RateLimiterPostgres {
  return new RateLimiterPostgres({
    // Our pool decides whether statements are named. The library would always name them, which some poolers do not
    // support.
    storeClient: { query: (query: { text: string; values: unknown[] }) => deps.pool.query(query.text, query.values) },
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: limit.name,
    points: limit.points,
    duration: limit.windowS,
  })
}

/** A keyed hash, so that the table reveals no address. */
function limitKey(deps: Pick<Deps, 'secrets'>, limit: Pick<Limit, 'name'>, subject: string): string {
  return deps.secrets.addressHash(`${limit.name}\0${subject}`).toString('base64url')
}

/** The client that a rate limit counts: one IPv4 address, or one IPv6 /64, the smallest network a customer gets. */
export function clientNetwork(ip: string): string {
  if (isIPv4(ip)) return ip
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return address.toByteArray().slice(0, 8).join('.')
}

/** "14 minutes", "1 hour": rounded up, so that a retry then succeeds. */
export function formatWaitingTime(seconds: number): string {
  if (seconds < 60) return pluralize(Math.max(1, Math.ceil(seconds)), 'second')
  if (seconds <= 59 * 60) return pluralize(Math.ceil(seconds / 60), 'minute')
  return pluralize(Math.ceil(seconds / 3_600), 'hour')
}

function pluralize(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Lets a library run its own statements in the transaction. */
const createQueryRunner = (db: Tx) => ({
  query: (text: string, values: unknown[]) => db.executeQuery(CompiledQuery.raw(text, values)),
})
