import { secondFactorTexts } from '../../../shared/access/second-factor.ts'
import { limits } from '../../access/members/public.ts'
import { proveSecondFactor } from '../../access/second-factor/public.ts'
import { AppError } from '../../core/common/public.ts'
import * as limiter from '../../core/db/public.ts'
import { returnPoint, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type ClaimedAttempt, recordFailure } from './login-throttle.ts'

interface Step {
  user: { id: string; totp_encrypted: Buffer | null; totp_confirmed_at: Date | null }
  /** The attempt counted for the password, which was right. A wrong code counts as a failed attempt as well. */
  guess: ClaimedAttempt
  code: string | undefined
}

/**
 * Checks the code after the password if the user has two-factor sign-in (decision 90). Returns when it was verified;
 * null without a second factor.
 */
export async function assertSecondFactor(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'pool' | 'secrets'>,
  { user, guess, code }: Step,
): Promise<Date | null> {
  const isCounted = Boolean(user.totp_confirmed_at && code && guess.client)
  if (isCounted) await takePoint(deps, limits.signInCodePerUser, user.id)
  const proof = await proveSecondFactor(deps, user, code)
  if (proof === 'not_needed') return null
  if (proof === 'missing') {
    await returnAttempt(deps, guess)
    throw new AppError('second_factor', secondFactorTexts.codeNeeded)
  }
  if (proof !== 'right') {
    await recordFailure(deps, guess)
    const message = proof === 'wrong_app' ? secondFactorTexts.codeWrong : secondFactorTexts.recoveryWrong
    throw new AppError('second_factor', message, { fields: { code: message } })
  }
  if (isCounted) await returnPoint(deps, limits.signInCodePerUser, user.id)
  return deps.now()
}

/** The password was right, but the code is missing: neither counts as a failure nor resets failures. */
async function returnAttempt(
  deps: Pick<Deps, 'pool' | 'secrets'>,
  { pair, client, email }: ClaimedAttempt,
): Promise<void> {
  await limiter.returnPoint(deps, limits.signInPerPair, pair)
  if (!client) return
  await limiter.returnPoint(deps, limits.signInPerClient, client)
  await limiter.returnPoint(deps, limits.signInPerAddress, email)
}
