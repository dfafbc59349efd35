import { isSameSecret, type Secrets } from '../../core/common/public.ts'

// Tokens of a message's links and pixel (decision 150). Each contains its message id and a MAC for its purpose (X1), so
// nothing is stored. They look alike. The restore token is different: its hash is stored (decision 4). Pure.

export type TokenPurpose = 'open' | 'honeypot' | 'click' | 'unsubscribe' | 'preferences' | 'push'

/** Links are valid for this long after the send. */
export const TOKEN_MS = 30 * 86_400_000

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const TOKEN = /^[\w-]{43}$/
const HALF = 16

/** 43 characters: message id and a MAC of 128 bits. */
export const createToken = (secrets: Secrets, purpose: TokenPurpose, messageId: string): string =>
  encodeToken(secrets, purpose, messageId, '').token

/** The token's message id; null if it was not created here, or for another purpose. */
export const readToken = (secrets: Secrets, purpose: TokenPurpose, token: string): string | null =>
  decodeToken(secrets, purpose, { token, sealed: '' })?.messageId ?? null

/**
 * Path of a click link. `target`: shop URL, encrypted and authenticated in `to`; null: the message's own page.
 */
export function createClickPath(secrets: Secrets, messageId: string, target: string | null): string {
  const { token, sealed } = encodeToken(secrets, 'click', messageId, target ?? '')
  return sealed === '' ? `/c/${token}` : `/c/${token}?to=${sealed}`
}

/** Returns null if the two were not created here, or not for each other. */
export function readClick(secrets: Secrets, token: string, to: string) {
  const click = decodeToken(secrets, 'click', { token, sealed: to })
  return click && { messageId: click.messageId, target: click.target === '' ? null : click.target }
}

function encodeToken(secrets: Secrets, purpose: TokenPurpose, messageId: string, target: string) {
  const id = Buffer.from(messageId.replaceAll('-', ''), 'hex')
  const mac = computeMac(secrets, purpose, messageId, target)
  const masked = mask(secrets, purpose, mac, Buffer.concat([id, Buffer.from(target)]))
  return {
    token: Buffer.concat([masked.subarray(0, HALF), mac]).toString('base64url'),
    sealed: masked.subarray(HALF).toString('base64url'),
  }
}

function decodeToken(secrets: Secrets, purpose: TokenPurpose, { token, sealed }: { token: string; sealed: string }) {
  const bytes = Buffer.from(token, 'base64url')
  const rest = Buffer.from(sealed, 'base64url')
  // Accepts one encoding only: other characters can decode to the same bytes.
  if (!TOKEN.test(token) || bytes.toString('base64url') !== token || rest.toString('base64url') !== sealed) return null
  const mac = bytes.subarray(HALF)
  const plain = mask(secrets, purpose, mac, Buffer.concat([bytes.subarray(0, HALF), rest]))
  const messageId = plain.toString('hex', 0, HALF).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const target = plain.toString('utf8', HALF)
  const isOurs = UUID.test(messageId) && isSameSecret(mac, computeMac(secrets, purpose, messageId, target))
  return isOurs ? { messageId, target } : null
}

const computeMac = (secrets: Secrets, purpose: TokenPurpose, messageId: string, target: string): Buffer => {
  const id = messageId.toLowerCase()
  return Buffer.from(secrets.token(purpose, target === '' ? id : `${id} ${target}`), 'base64url').subarray(0, HALF)
}

/**
 * Ids of one hour have the same prefix, which would reveal the link that differs. Masks the id and what follows, 32
 * bytes at a time. Masking twice restores the input.
 */
function mask(secrets: Secrets, purpose: TokenPurpose, mac: Buffer, bytes: Buffer): Buffer {
  const subject = mac.toString('hex')
  const part = (of: string) => Buffer.from(secrets.token(`${purpose} mask`, of), 'base64url')
  const parts = [part(subject).subarray(0, HALF)]
  for (let at = HALF; at < bytes.length; at += 32) parts.push(part(`${subject} ${at}`))
  const stream = Buffer.concat(parts)
  return Buffer.from(bytes.map((byte, at) => byte ^ stream[at]!))
}

const PIXEL = /<img src="[^"<>]*\/o\/[\w-]{43}"[^<>]*>/g

/** Removes the pixel for previews by the shop's staff: they must not count as opens. */
export const removePixel = (html: string): string => html.replace(PIXEL, '')
