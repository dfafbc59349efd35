import { isSameSecret, type Secrets } from '../core/secrets.ts'

// What a mail carries to tell people from machines: a picture that says the mail was opened, and a link no person sees. Both name
// their message and are keyed, each for its purpose (X1), so that nothing has to be stored for them. They look like any other token. Pure.

export type Tracker = 'open' | 'honeypot'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const TRACKER = /^[\w-]{43}$/
const HALF = 16

/** 43 characters, as other tokens have. */
export function trackerToken(secrets: Secrets, tracker: Tracker, messageId: string): string {
  const id = Buffer.from(messageId.replaceAll('-', ''), 'hex')
  return Buffer.concat([
    maskOf(secrets, tracker, macOf(secrets, tracker, messageId), id),
    macOf(secrets, tracker, messageId),
  ]).toString('base64url')
}

/** The message a probe was made for; null when it was not made here, or for the other purpose. */
export function messageOfTracker(secrets: Secrets, tracker: Tracker, token: string): string | null {
  if (!TRACKER.test(token)) return null
  const bytes = Buffer.from(token, 'base64url')
  const mac = bytes.subarray(HALF)
  const hex = maskOf(secrets, tracker, mac, bytes.subarray(0, HALF)).toString('hex')
  const messageId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return UUID.test(messageId) && isSameSecret(mac, macOf(secrets, tracker, messageId)) ? messageId : null
}

const macOf = (secrets: Secrets, tracker: Tracker, messageId: string): Buffer =>
  Buffer.from(secrets.token(tracker, messageId.toLowerCase()), 'base64url').subarray(0, HALF)

/** Ids of one hour begin alike; without a mask a mail's links would show which of them is the odd one. */
function maskOf(secrets: Secrets, tracker: Tracker, mac: Buffer, bytes: Buffer): Buffer {
  const mask = Buffer.from(secrets.token(`${tracker} mask`, mac.toString('hex')), 'base64url')
  return Buffer.from(bytes.map((byte, at) => byte ^ mask[at]!))
}

const PIXEL = /<img src="[^"<>]*\/o\/[\w-]{43}"[^<>]*>/g

/** A mail as it is shown to those who work for the shop: their looking at it is no opening. */
export const withoutPixel = (html: string): string => html.replace(PIXEL, '')
