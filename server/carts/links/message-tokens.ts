import { isSameSecret, type Secrets } from '../../core/common/secrets.ts'

// The tokens of a message's links and picture (decision 150). Each names its message and is keyed, each for its purpose (X1), so that
// nothing has to be stored for them. They look alike. The restore token is none of them: of that one the hash is kept (decision 4). Pure.

export type TokenPurpose = 'open' | 'honeypot' | 'click' | 'unsubscribe' | 'preferences' | 'push'

/** How long a message's links open anything, from its send on. */
export const TOKEN_MS = 30 * 86_400_000

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const TOKEN = /^[\w-]{43}$/
const HALF = 16

/** 43 characters: the message and a MAC of 128 bits. */
export const messageToken = (secrets: Secrets, purpose: TokenPurpose, messageId: string): string =>
  write(secrets, purpose, messageId, '').token

/** The message a token was made for; null when it was not made here, or for another purpose. */
export const messageOfToken = (secrets: Secrets, purpose: TokenPurpose, token: string): string | null =>
  read(secrets, purpose, { token, sealed: '' })?.messageId ?? null

/**
 * What a click goes to, without the host. `target`: the address of the shop it leads to, in `to`, where nobody reads or changes it; null: the
 * message's own page.
 */
export function clickPath(secrets: Secrets, messageId: string, target: string | null): string {
  const { token, sealed } = write(secrets, 'click', messageId, target ?? '')
  return sealed === '' ? `/c/${token}` : `/c/${token}?to=${sealed}`
}

/** null when the two were not made here, or not for one another. */
export function readClick(secrets: Secrets, token: string, to: string) {
  const click = read(secrets, 'click', { token, sealed: to })
  return click && { messageId: click.messageId, target: click.target === '' ? null : click.target }
}

function write(secrets: Secrets, purpose: TokenPurpose, messageId: string, target: string) {
  const id = Buffer.from(messageId.replaceAll('-', ''), 'hex')
  const mac = macOf(secrets, purpose, messageId, target)
  const masked = mask(secrets, purpose, mac, Buffer.concat([id, Buffer.from(target)]))
  return {
    token: Buffer.concat([masked.subarray(0, HALF), mac]).toString('base64url'),
    sealed: masked.subarray(HALF).toString('base64url'),
  }
}

function read(secrets: Secrets, purpose: TokenPurpose, { token, sealed }: { token: string; sealed: string }) {
  const bytes = Buffer.from(token, 'base64url')
  const rest = Buffer.from(sealed, 'base64url')
  // One spelling each: other characters decode to the same bytes.
  if (!TOKEN.test(token) || bytes.toString('base64url') !== token || rest.toString('base64url') !== sealed) return null
  const mac = bytes.subarray(HALF)
  const plain = mask(secrets, purpose, mac, Buffer.concat([bytes.subarray(0, HALF), rest]))
  const messageId = plain.toString('hex', 0, HALF).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const target = plain.toString('utf8', HALF)
  const isOurs = UUID.test(messageId) && isSameSecret(mac, macOf(secrets, purpose, messageId, target))
  return isOurs ? { messageId, target } : null
}

const macOf = (secrets: Secrets, purpose: TokenPurpose, messageId: string, target: string): Buffer => {
  const id = messageId.toLowerCase()
  return Buffer.from(secrets.token(purpose, target === '' ? id : `${id} ${target}`), 'base64url').subarray(0, HALF)
}

/**
 * Ids of one hour begin alike; without a mask a mail's links would show which of them is the odd one. What follows the id is masked on, 32
 * bytes at a time. Masked twice it is as before.
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

/** A mail as it is shown to those who work for the shop: their looking at it is no opening. */
export const withoutPixel = (html: string): string => html.replace(PIXEL, '')
