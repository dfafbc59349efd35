import { type Limit, rateLimitedError, takeLot } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'

// API requests of an account per minute, as draft-ietf-httpapi-ratelimit-headers describes them. Each process takes
// requests from PostgreSQL in lots: the limit holds over all processes, and most requests cost no statement.

const WINDOW_S = 60
/** A lot is a fiftieth of the limit: what a process has not used of it is lost to the others for the window. */
const LOTS = 50

/** Lots of past windows are dropped above this number. */
const MAX_HELD = 10_000

interface Lot {
  /** Requests this process may still answer. */
  left: number
  /** Requests that no process has taken. */
  others: number
  endsAt: number
}

interface HeaderTarget {
  header(name: string, value: string): unknown
}

type LimitDeps = Pick<Deps, 'config' | 'pool' | 'secrets'>

const lots = new WeakMap<Deps['pool'], Map<string, Lot>>()

/** Counts a request and sets `RateLimit` and `RateLimit-Policy`. Throws `rate_limited` above the account's limit. */
export async function limitRequests(deps: LimitDeps, reply: HeaderTarget, accountId: string): Promise<void> {
  const limit: Limit = { name: 'api', points: deps.config.apiRateLimit, windowS: WINDOW_S }
  const { isAllowed, remaining, endsAt } = await takeRequest(deps, limit, accountId)
  const waitS = Math.max(1, Math.ceil((endsAt - Date.now()) / 1_000))
  reply.header('ratelimit-policy', `"account";q=${limit.points};w=${limit.windowS}`)
  reply.header('ratelimit', `"account";r=${remaining};t=${waitS}`)
  if (!isAllowed) throw rateLimitedError(waitS)
}

async function takeRequest(deps: LimitDeps, limit: Limit, accountId: string) {
  const lot = await findLot(deps, limit, accountId)
  const isAllowed = lot.left > 0
  if (isAllowed) lot.left -= 1
  return { isAllowed, remaining: lot.left + lot.others, endsAt: lot.endsAt }
}

async function findLot(deps: LimitDeps, limit: Limit, accountId: string): Promise<Lot> {
  const held = findHeldLots(deps)
  const lot = held.get(accountId)
  const isCurrent = lot !== undefined && lot.endsAt > Date.now()
  if (isCurrent && (lot.left > 0 || lot.others === 0)) return lot
  const size = Math.ceil(limit.points / LOTS)
  const { taken, others, endsAt } = await takeLot(deps, limit, { subject: accountId, size })
  // Another request may have taken a lot meanwhile.
  const now = held.get(accountId)
  const left = now?.endsAt === endsAt ? now.left : 0
  const next = { left: left + taken, others, endsAt }
  held.set(accountId, next)
  if (held.size > MAX_HELD) for (const [id, { endsAt }] of held) if (endsAt <= Date.now()) held.delete(id)
  return next
}

function findHeldLots({ pool }: LimitDeps): Map<string, Lot> {
  const held = lots.get(pool) ?? new Map<string, Lot>()
  lots.set(pool, held)
  return held
}
