import { timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../secrets.ts'

// What a mail carries to tell people from machines: a picture that says the mail was opened, and a link no person sees. Both name
// their message and are keyed, each for its purpose (X1), so that nothing has to be stored for them. They look like any other token. Pure.

export type Probe = 'open' | 'trap'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const PROBE = /^[\w-]{43}$/
const HALF = 16

/** 43 characters, as other tokens have. */
export function probeToken(secrets: Secrets, probe: Probe, messageId: string): string {
  const id = Buffer.from(messageId.replaceAll('-', ''), 'hex')
  return Buffer.concat([
    maskOf(secrets, probe, macOf(secrets, probe, messageId), id),
    macOf(secrets, probe, messageId),
  ]).toString('base64url')
}

/** The message a probe was made for; null when it was not made here, or for the other purpose. */
export function messageOfProbe(secrets: Secrets, probe: Probe, token: string): string | null {
  if (!PROBE.test(token)) return null
  const bytes = Buffer.from(token, 'base64url')
  const mac = bytes.subarray(HALF)
  const hex = maskOf(secrets, probe, mac, bytes.subarray(0, HALF)).toString('hex')
  const messageId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return UUID.test(messageId) && timingSafeEqual(mac, macOf(secrets, probe, messageId)) ? messageId : null
}

const macOf = (secrets: Secrets, probe: Probe, messageId: string): Buffer =>
  Buffer.from(secrets.token(probe, messageId.toLowerCase()), 'base64url').subarray(0, HALF)

/** Ids of one hour begin alike; without a mask a mail's links would show which of them is the odd one. */
function maskOf(secrets: Secrets, probe: Probe, mac: Buffer, bytes: Buffer): Buffer {
  const mask = Buffer.from(secrets.token(`${probe} mask`, mac.toString('hex')), 'base64url')
  return Buffer.from(bytes.map((byte, at) => byte ^ mask[at]!))
}

const PIXEL = /<img src="[^"]*\/o\/[\w-]{43}"[^>]*>/g

/** A mail as it is shown to those who work for the shop: their looking at it is no opening. */
export const withoutPixel = (html: string): string => html.replace(PIXEL, '')
