import { newId } from '../../core/common/ids.ts'
import * as limiter from '../../core/db/rate-limits.ts'
import { clientNetwork, type Limit, refuse } from '../../core/db/rate-limits.ts'
import { isSameSecret } from '../../core/common/secrets.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../access/members/limits.ts'
import { lockoutS } from '../../access/members/rules.ts'

// Wrong passwords are counted by address and client together: whoever guesses waits, longer each time, and the owner of the address
// does not. A browser that has signed in before is a client of its own, whatever network it is in. Only guesses at one address from
// very many networks make new browsers wait.

/** Who tries a password, and whose. */
export interface Attempt {
  email: string
  ip: string
  /** The cookies of the request. */
  cookies: Readonly<Record<string, string | undefined>>
  /** undefined: nobody has this address. */
  userId: string | undefined
}

export interface Guess {
  email: string
  /** Address and client. */
  pair: string
  /** Unknown browsers are counted by their network too. */
  client: string | null
  isLast: boolean
}

/** Takes a guess before it is looked at, so that parallel ones count too. Throws `rate_limited`. */
export async function takeGuess(deps: Deps, attempt: Attempt): Promise<Guess> {
  const { guess, waitS } = await tryGuess(deps, attempt)
  if (!guess) throw refuse(waitS)
  return guess
}

/** Without a guess: the seconds to wait for one. */
export async function tryGuess(
  deps: Deps,
  attempt: Attempt,
): Promise<{ guess: Guess; waitS: 0 } | { guess: null; waitS: number }> {
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
    const waitS = await limiter.tryTake(deps, limit, subject)
    if (waitS > 0) return { guess: null, waitS }
  }
  return { guess: { email, pair, client, isLast: own.isLast }, waitS: 0 }
}

/** After the last wrong one the wait begins: a quarter of an hour, doubled each time within a day. */
export async function wrongGuess(deps: Deps, { pair, isLast }: Guess): Promise<void> {
  if (!isLast) return
  const count = await limiter.count(deps, limits.lockoutsPerPair, pair)
  await limiter.block(deps, limits.signInPerPair, { subject: pair, seconds: lockoutS(count) })
}

export async function rightGuess(deps: Deps, { pair, client, email }: Guess): Promise<void> {
  await limiter.forgive(deps, limits.signInPerPair, pair)
  await limiter.forgive(deps, limits.lockoutsPerPair, pair)
  if (!client) return
  await limiter.giveBack(deps, limits.signInPerClient, client)
  await limiter.giveBack(deps, limits.signInPerAddress, email)
}

/** The password was right and the code is still to come: neither a wrong guess, nor one that makes wrong ones good. */
export async function unfinishedGuess(deps: Deps, { pair, client, email }: Guess): Promise<void> {
  await limiter.giveBack(deps, limits.signInPerPair, pair)
  if (!client) return
  await limiter.giveBack(deps, limits.signInPerClient, client)
  await limiter.giveBack(deps, limits.signInPerAddress, email)
}

/** With a new password nobody waits for guesses at the old one. */
export async function forgiveGuesses(deps: Deps, { email, ip }: { email: string; ip: string }): Promise<void> {
  const pair = `${email}\0${clientNetwork(ip)}`
  await limiter.forgive(deps, limits.signInPerPair, pair)
  await limiter.forgive(deps, limits.lockoutsPerPair, pair)
  await limiter.forgive(deps, limits.signInPerAddress, email)
}

export interface DeviceCookie {
  name: string
  value: string
}

/** For a browser in which this user has just signed in. It opens nothing; it only keeps others' guesses from counting. */
export function deviceCookie(deps: Deps, userId: string): DeviceCookie {
  const id = newId()
  return { name: cookieName(deps, userId), value: `${id}.${deps.secrets.token('device', `${userId}.${id}`)}` }
}

function knownDevice(deps: Deps, { cookies, userId }: Attempt): string | null {
  if (userId === undefined) return null
  const [id = '', mac = ''] = (cookies[cookieName(deps, userId)] ?? '').split('.')
  return isSameSecret(mac, deps.secrets.token('device', `${userId}.${id}`)) ? `device ${id}` : null
}

/** One for each user, as several may share a browser; it does not tell whose. */
const cookieName = (deps: Deps, userId: string) =>
  `recoup_device_${deps.secrets.token('device-name', userId).slice(0, 12)}`
