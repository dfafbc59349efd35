import { createHmac, randomBytes } from 'node:crypto'
import { isSameSecret } from '../../core/common/public.ts'

// The signatures of both sides (docs/plugin-protocol.md, "Signed calls"). Pure, except for the nonce.

export type CallName = 'connect' | 'batch' | 'restore' | 'beat' | 'disconnect' | 'privacy' | 'wake'

export interface CallHeaders {
  store: string
  time: string
  nonce: string
  signature: string
}

/** Maximum difference between the two clocks. */
const WINDOW_S = 300
/** How long a nonce is remembered; longer than any call can be late. */
export const NONCE_MS = 10 * 60_000

type Direction = 'shop' | 'recoup'
type SignedContent = Omit<CallHeaders, 'signature'> & { direction: Direction; name: CallName; body: Buffer | string }

export function sign(key: string, { direction, name, store, time, nonce, body }: SignedContent): string {
  const hmac = createHmac('sha256', key).update(['v1', direction, name, store, time, nonce, ''].join('\n'))
  return hmac.update(body).digest('hex')
}

export const signReply = (key: string, nonce: string, status: number, body: string): string =>
  createHmac('sha256', key)
    .update(['v1', 'answer', nonce, String(status), body].join('\n'))
    .digest('hex')

/** null: a header is missing or malformed. */
export function readHeaders(headers: Record<string, string | string[] | undefined>): CallHeaders | null {
  const read = (name: string) => (typeof headers[name] === 'string' ? headers[name] : '')
  const [store, time] = [read('x-recoup-store'), read('x-recoup-time')]
  const [nonce, signature] = [read('x-recoup-nonce'), read('x-recoup-signature')]
  const isWhole = /^[\w-]{16,64}$/.test(store) && /^\d{9,11}$/.test(time)
  return isWhole && /^[0-9a-f]{32}$/.test(nonce) && /^[0-9a-f]{64}$/.test(signature)
    ? { store, time, nonce, signature }
    : null
}

/** Whether this key signed the shop's call. */
export const isSignedBy = (key: string, name: CallName, headers: CallHeaders, body: Buffer): boolean =>
  isSameSecret(headers.signature, sign(key, { direction: 'shop', name, ...headers, body }))

export const isInTime = ({ time }: Pick<CallHeaders, 'time'>, now: Date): boolean =>
  Math.abs(now.getTime() / 1_000 - Number(time)) <= WINDOW_S

/** A call to the shop: its headers, and the nonce that signs the reply. */
export function createSignedCall(
  key: string,
  name: CallName,
  { store, body, now }: { store: string; body: string; now: Date },
) {
  const time = String(Math.floor(now.getTime() / 1_000))
  const nonce = randomBytes(16).toString('hex')
  const signature = sign(key, { direction: 'recoup', name, store, time, nonce, body })
  const headers = {
    'content-type': 'application/json',
    'x-recoup-store': store,
    'x-recoup-time': time,
    'x-recoup-nonce': nonce,
    'x-recoup-signature': signature,
  }
  return { headers, nonce }
}
