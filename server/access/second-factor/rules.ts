import crypto from 'node:crypto'
import { CODE_DIGITS, RECOVERY_CODES } from '../../../shared/access/second-factor.ts'
import { hashToken } from '../../core/common/public.ts'
import { base32 } from './totp.ts'

// Parses typed codes and creates recovery codes. Pure, except for randomness.

export type TypedCode = { kind: 'app'; code: string } | { kind: 'recovery'; hash: Buffer }

/** Apps show codes in two groups; recovery codes have four groups. */
export function readCode(typed: string): TypedCode {
  const bare = typed.replace(/[\s-]/g, '')
  if (bare.length === CODE_DIGITS && /^\d+$/.test(bare)) return { kind: 'app', code: bare }
  return { kind: 'recovery', hash: hashRecoveryCode(bare) }
}

/** 80 random bits each, so that a plain hash is enough. They also work after APP_SECRET has changed. */
export const createRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => base32(crypto.randomBytes(10)).toLowerCase().match(/.{4}/g)!.join('-'))

export const hashRecoveryCode = (code: string): Buffer => hashToken(code.replace(/[\s-]/g, '').toLowerCase())

export const createSecret = (): Buffer => crypto.randomBytes(20)
