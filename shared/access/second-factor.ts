import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { password } from './auth.ts'

// Two-factor sign-in with codes of an authenticator app (decision 90). Optional for users, required for operators.

export const RECOVERY_CODES = 10
export const CODE_DIGITS = 6

export const secondFactorTexts = {
  codeNeeded: 'Enter the code from your authenticator app.',
  codeWrong: 'That code is not right, or was used already. Wait for the next one and try again.',
  recoveryWrong: 'That recovery code is not right, or was used already.',
  confirmFirst: 'Please confirm your email address first.',
  notBegun: 'This setup is over. Start again.',
  alreadyOn: 'Two-factor sign-in is already on.',
  alreadyOff: 'Two-factor sign-in is off.',
} as const

/** A code of the app, or a recovery code; spaces and dashes are ignored. */
export const Code = z.string().trim().min(1, secondFactorTexts.codeNeeded).max(40)

const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) })

export const readSecondFactor = endpoint({
  method: 'GET',
  path: '/api/account/second-factor',
  permission: 'session',
  scope: 'account',
  summary: 'Whether signing in also wants a code, and how many recovery codes are left',
  reply: z.object({ isOn: z.boolean(), since: z.string().nullable(), recoveryCodesLeft: z.number() }),
})

export const beginSecondFactor = endpoint({
  method: 'POST',
  path: '/api/account/second-factor',
  permission: 'session',
  scope: 'account',
  summary: 'Make a secret for an authenticator app; nothing changes before a code of it is confirmed',
  body: z.object({ password }),
  /** `secret` in base32 for manual entry; `uri` for the QR code. */
  reply: z.object({ secret: z.string(), uri: z.string() }),
})

export const confirmSecondFactor = endpoint({
  method: 'POST',
  path: '/api/account/second-factor/confirm',
  permission: 'session',
  scope: 'account',
  summary: 'Switch two-factor sign-in on with a code of the app; answers the recovery codes, this once',
  body: z.object({ code: Code }),
  reply: RecoveryCodes,
})

export const endSecondFactor = endpoint({
  method: 'POST',
  path: '/api/account/second-factor/end',
  permission: 'session',
  scope: 'account',
  summary: 'Switch two-factor sign-in off with the password and a code',
  body: z.object({ password, code: Code }),
  reply: z.object({ success: z.literal(true) }),
})

export const renewRecoveryCodes = endpoint({
  method: 'POST',
  path: '/api/account/second-factor/recovery-codes',
  permission: 'session',
  scope: 'account',
  summary: 'New recovery codes with the password and a code, answered this once; the earlier ones stop working',
  body: z.object({ password, code: Code }),
  reply: RecoveryCodes,
})
