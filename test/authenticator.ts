import { computeCode, computeStep } from '../server/access/second-factor/totp.ts'
import type { World } from './world.ts'

// Test support: an authenticator app, which knows the secret and the time.

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function decodeBase32(text: string): Buffer {
  const bits = [...text].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** Returns the code for a moment. */
export const generateCode = (secret: string, now: Date, stepsLater = 0) =>
  computeCode(decodeBase32(secret), computeStep(now) + stepsLater)

interface Owner {
  token: string
  password: string
}

/** Enables the second factor as the screen does. The next valid code is that of the following time step. */
export async function enableSecondFactor(world: World, { token, password }: Owner) {
  const started = await world.request('POST', '/api/account/second-factor', { token, body: { password } })
  const secret = started.body.secret as string
  const body = { code: generateCode(secret, world.now) }
  const on = await world.request('POST', '/api/account/second-factor/confirm', { token, body })
  world.advance(30_000)
  return { secret, recoveryCodes: on.body.recoveryCodes as string[], status: on.status }
}
