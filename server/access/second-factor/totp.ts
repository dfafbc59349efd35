import crypto from 'node:crypto'
import { isSameSecret } from '../../core/common/public.ts'

// Time-based codes: RFC 6238 over RFC 4226 with SHA-1, 30-second steps and six digits, which every authenticator app
// supports. Pure.

const STEP_MS = 30_000
/** Accepts one step before and after, for clock differences and typing time. */
const ALLOWED_STEPS = [0, -1, 1]

export const computeStep = (now: Date): number => Math.floor(now.getTime() / STEP_MS)

export function computeCode(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = crypto.createHmac('sha1', secret).update(counter).digest()
  const number = mac.readUInt32BE(mac.at(-1)! & 0xf) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step of this code; null: no step near now. */
export function findStep(code: string, secret: Buffer, now: Date): number | null {
  const fitting = ALLOWED_STEPS.map((by) => computeStep(now) + by).filter((step) =>
    isSameSecret(code, computeCode(secret, step)),
  )
  return fitting[0] ?? null
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, without padding. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => LETTERS[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** The URI in the QR code. */
export function buildKeyUri(secret: Buffer, owner: string, issuer: string): string {
  const parameters = new URLSearchParams({ secret: base32(secret), issuer })
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(owner)}?${parameters}`
}
