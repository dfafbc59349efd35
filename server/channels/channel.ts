// What a channel must do. One file per channel implements it; nothing else knows a provider's names.

export type ChannelName = 'email' | 'sms' | 'whatsapp' | 'push'

/** One message, fully rendered, on its way to one recipient. */
export interface OutgoingEmail {
  /** The message row's id; becomes part of the Message-ID, so a receiver can recognise a repeat. */
  messageId: string
  from: { name: string; address: string }
  replyTo?: string
  to: string
  subject: string
  html: string
  text: string
  headers: Record<string, string>
}

/**
 * What became of one hand-over (engine, "Sending"). An answer is data, never an exception:
 * - `accepted`: the provider took responsibility.
 * - `rejected`: a permanent refusal (SMTP 5xx to RCPT or DATA). `isRecipientFault` = the address itself is bad (hard bounce).
 * - `retry`: proof that it was not accepted: connection refused or lost before the end of DATA, SMTP 4xx, sign-in refused.
 * - `unknown`: the body was handed over and no answer came. Never resent automatically.
 */
export type Outcome =
  | { kind: 'accepted'; providerId: string; response: string }
  | { kind: 'rejected'; reason: string; response: string; isRecipientFault: boolean }
  | { kind: 'retry'; reason: string; response: string; retryAfterMs?: number }
  | { kind: 'unknown'; reason: string; response: string }

export interface EmailChannel {
  /** How many messages can be on the wire at once: the bound of engine rule D10. */
  readonly poolSize: number
  send(message: OutgoingEmail): Promise<Outcome>
  /** Connects and signs in without sending; the server's own answer on failure. */
  check(): Promise<{ isOk: true } | { isOk: false; response: string }>
  close(): Promise<void>
}
