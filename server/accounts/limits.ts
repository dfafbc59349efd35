import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { waitingTime } from './rules.ts'

/** At most `points` in `windowS` seconds, counted per subject (an address, an account, a client). */
export interface Limit {
  name: string
  points: number
  windowS: number
}

const QUARTER_HOUR = 900
const HOUR = 3_600

export const limits = {
  signInPerAddress: { name: 'sign-in-address', points: 5, windowS: QUARTER_HOUR },
  signInPerClient: { name: 'sign-in-client', points: 30, windowS: QUARTER_HOUR },
  registerPerClient: { name: 'register-client', points: 10, windowS: HOUR },
  registrationMailPerAddress: { name: 'registration-mail', points: 3, windowS: HOUR },
  forgotPerAddress: { name: 'forgot-address', points: 3, windowS: HOUR },
  forgotPerClient: { name: 'forgot-client', points: 20, windowS: HOUR },
  resetPerClient: { name: 'reset-client', points: 20, windowS: HOUR },
  passwordPerUser: { name: 'password-user', points: 10, windowS: QUARTER_HOUR },
  emailChangePerUser: { name: 'email-change-user', points: 5, windowS: HOUR },
  emailConfirmPerClient: { name: 'email-confirm-client', points: 20, windowS: HOUR },
  invitePerAccount: { name: 'invite-account', points: 30, windowS: HOUR },
  invitePerAddress: { name: 'invite-address', points: 5, windowS: HOUR },
  invitationPerClient: { name: 'invitation-client', points: 60, windowS: HOUR },
  exportPerAccount: { name: 'export-account', points: 10, windowS: HOUR },
  demoPerClient: { name: 'demo-client', points: 120, windowS: HOUR },
  connectPerAccount: { name: 'connect-account', points: 30, windowS: QUARTER_HOUR },
} as const satisfies Record<string, Limit>

/** Takes one point, or throws `rate_limited` with the time to wait. Taken before the attempt, so that parallel tries count too. */
export async function take(deps: Deps, limit: Limit, subject: string): Promise<void> {
  const waitS = await tryTake(deps, limit, subject)
  if (waitS === 0) return
  throw new AppError('rate_limited', `Too many attempts. Please try again in ${waitingTime(waitS)}.`, {
    retryAfterS: waitS,
  })
}

/** 0 when the point was taken, else the seconds to wait. */
export async function tryTake(deps: Deps, limit: Limit, subject: string): Promise<number> {
  try {
    await limiter(deps, limit).consume(keyOf(deps, limit, subject))
    return 0
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))
    throw refusal
  }
}

/** The attempt turned out to be a good one. */
export async function giveBack(deps: Deps, limit: Limit, subject: string): Promise<void> {
  await limiter(deps, limit).reward(keyOf(deps, limit, subject), 1)
}

export async function forgive(deps: Deps, limit: Limit, subject: string): Promise<void> {
  await limiter(deps, limit).delete(keyOf(deps, limit, subject))
}

function limiter(deps: Deps, limit: Limit): RateLimiterPostgres {
  return new RateLimiterPostgres({
    // Our pool decides whether statements are named; the library would always name them, which some poolers cannot carry.
    storeClient: { query: (asked: { text: string; values: unknown[] }) => deps.pool.query(asked.text, asked.values) },
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: limit.name,
    points: limit.points,
    duration: limit.windowS,
  })
}

/** Keyed, so that the table tells nobody's address. */
function keyOf(deps: Deps, limit: Limit, subject: string): string {
  return deps.secrets.addressHash(`${limit.name}\0${subject}`).toString('base64url')
}
