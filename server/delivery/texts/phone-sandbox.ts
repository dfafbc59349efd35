import crypto from 'node:crypto'
import type { TextTemplate } from '../../core/schema/public.ts'
import type { TextChannelName } from '../../messages/channels/public.ts'
import type { CredentialSecrets } from './text-channels.ts'

// The built-in phones as a provider. This file creates an account's credentials and registers them with the phones
// once. Then they act like any provider: the same clients call them, and they report by the same signed calls.

/** Fictional numbers: 202-555-0100 to 0199 are never assigned. */
export function sandboxIdentity(accountId: string) {
  const digest = crypto.hash('sha256', `phone sandbox ${accountId}`, 'hex')
  const number = Number.parseInt(digest.slice(0, 8), 16)
  const phoneNumberId = String(100_000_000_000_000 + Number.parseInt(digest.slice(8, 18), 16))
  return {
    accountSid: `AC${digest.slice(0, 32)}`,
    phoneNumberId,
    businessAccountId: `9${phoneNumberId}`,
    sender: `+1202555${String(100 + (number % 100)).padStart(4, '0')}`,
  }
}

/** The sandbox's template with its variables in order. */
export function sandboxTemplate(publicUrl: string): TextTemplate {
  return {
    name: 'cart_reminder',
    language: 'en_US',
    category: 'marketing',
    text: 'Hi {{1}}, you left something in your cart at {{2}}: {{3}}, {{4}} in all. It is still there.',
    variables: ['customer_name', 'store_name', 'cart_items', 'cart_total'],
    buttonUrlPrefix: `${publicUrl}/c/`,
  }
}

export interface SandboxLine {
  channel: TextChannelName
  identity: ReturnType<typeof sandboxIdentity>
  secrets: CredentialSecrets
  inboundUrl: string
}

/** Registers a line. Throws if the phones do not reply. */
export async function registerLine(phoneUrl: string, { channel, identity, secrets, inboundUrl }: SandboxLine) {
  const isSms = channel === 'sms'
  const line = {
    provider: isSms ? 'twilio' : 'meta',
    account: isSms ? identity.accountSid : identity.phoneNumberId,
    token: isSms ? secrets.authToken : secrets.accessToken,
    signingSecret: isSms ? secrets.authToken : secrets.appSecret,
    sender: identity.sender,
    inboundUrl,
  }
  const reply = await fetch(`${phoneUrl}/api/lines`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(line),
    signal: AbortSignal.timeout(5_000),
  })
  if (!reply.ok) throw new Error(`the phone sandbox answered ${reply.status}`)
}
