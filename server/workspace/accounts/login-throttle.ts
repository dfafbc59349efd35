import { computeLockoutS, limits } from '../../access/members/public.ts'
import { createId, isSameSecret } from '../../core/common/public.ts'
import * as limiter from '../../core/db/public.ts'
import { clientNetwork, type Limit, rateLimitedError } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'

// Throttles sign-in attempts. Wrong passwords count per address and client, so guessing locks the guesser, longer each
// time, and not the owner.
// A browser that has signed in before counts as its own client in any network. Only guesses at one address from very
// many networks lock new browsers.

/** A password attempt and its target. */
export interface Attempt {
  email: string
  ip: string
  /** The cookies of the request. */
  cookies: Readonly<Record<string, string | undefined>>
  /** undefined: no user has this address. */
  userId: string | undefined
}

export interface ClaimedAttempt {
  email: string
  /** Key of address and client. */
  pair: string
  /** Key of the network for unknown browsers; null: a known browser. */
  client: string | null
  isLast: boolean
}

/** Counts an attempt before it is checked, so that concurrent ones count too. Throws `rate_limited`. */
export async function claimAttempt(deps: Pick<Deps, 'pool' | 'secrets'>, attempt: Attempt): Promise<ClaimedAttempt> {
  const { guess, waitS } = await tryClaimAttempt(deps, attempt)
  if (!guess) throw rateLimitedError(waitS)
  return guess
}

/** Counts an attempt, or returns the seconds to wait. */
export async function tryClaimAttempt(
  deps: Pick<Deps, 'pool' | 'secrets'>,
  attempt: Attempt,
): Promise<{ guess: ClaimedAttempt; waitS: 0 } | { guess: null; waitS: number }> {
  const { email } = attempt
  const device = knownDevice(deps, attempt)
  const client = device ? null : clientNetwork(attempt.ip)
  const pair = `${email}\0${device ?? client}`
  const wide: [Limit, string][] = client
    ? [
        [limits.signInPerClient, client],
        [limits.signInPerAddress, email],
      ]
    : []
  const own = await limiter.takeStep(deps, limits.signInPerPair, pair)
  if (own.waitS > 0) return { guess: null, waitS: own.waitS }
  for (const [limit, subject] of wide) {
    const waitS = await limiter.tryTakePoint(deps, limit, subject)
    if (waitS > 0) return { guess: null, waitS }
  }
  return { guess: { email, pair, client, isLast: own.isLast }, waitS: 0 }
}

/** After the last allowed failure, locks for a quarter of an hour, doubled for each lock within a day. */
export async function recordFailure(
  deps: Pick<Deps, 'pool' | 'secrets'>,
  { pair, isLast }: ClaimedAttempt,
): Promise<void> {
  if (!isLast) return
  const count = await limiter.count(deps, limits.lockoutsPerPair, pair)
  await limiter.block(deps, limits.signInPerPair, { subject: pair, seconds: computeLockoutS(count) })
}

export async function recordSuccess(
  deps: Pick<Deps, 'pool' | 'secrets'>,
  { pair, client, email }: ClaimedAttempt,
): Promise<void> {
  await limiter.resetLimit(deps, limits.signInPerPair, pair)
  await limiter.resetLimit(deps, limits.lockoutsPerPair, pair)
  if (!client) return
  await limiter.returnPoint(deps, limits.signInPerClient, client)
  await limiter.returnPoint(deps, limits.signInPerAddress, email)
}

/** A new password ends locks caused by guesses at the old one. */
export async function resetFailures(
  deps: Pick<Deps, 'pool' | 'secrets'>,
  { email, ip }: { email: string; ip: string },
): Promise<void> {
  const pair = `${email}\0${clientNetwork(ip)}`
  await limiter.resetLimit(deps, limits.signInPerPair, pair)
  await limiter.resetLimit(deps, limits.lockoutsPerPair, pair)
  await limiter.resetLimit(deps, limits.signInPerAddress, email)
}

export interface DeviceCookie {
  name: string
  value: string
}

/**
 * The cookie of a browser in which this user has just signed in. It grants no access; it only separates the browser
 * from others' guesses.
 */
export function deviceCookie(deps: Pick<Deps, 'secrets'>, userId: string): DeviceCookie {
  const id = createId()
  return { name: cookieName(deps, userId), value: `${id}.${deps.secrets.token('device', `${userId}.${id}`)}` }
}

function knownDevice(deps: Pick<Deps, 'secrets'>, { cookies, userId }: Attempt): string | null {
  if (userId === undefined) return null
  const [id = '', mac = ''] = (cookies[cookieName(deps, userId)] ?? '').split('.')
  return isSameSecret(mac, deps.secrets.token('device', `${userId}.${id}`)) ? `device ${id}` : null
}

/** One per user, as users may share a browser; the name does not reveal the user. */
const cookieName = (deps: Pick<Deps, 'secrets'>, userId: string) =>
  `recoup_device_${deps.secrets.token('device-name', userId).slice(0, 12)}`
