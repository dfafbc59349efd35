// The contract of a channel. One file per channel implements it; no other code knows a provider's names. traits.ts
// lists how the engine treats each kind of channel (contact, limit, texts).

import type { BrowserSubscription, PushPayload } from '../../../shared/delivery/push.ts'
import type { TextTemplate } from '../../core/schema/public.ts'
import type { Authorized } from './send-authorization.ts'
import type { ProviderTemplate } from './templates.ts'

export type ChannelName = 'email' | 'sms' | 'whatsapp' | 'push'
/** Channels that send to a phone number. */
export type TextChannelName = 'sms' | 'whatsapp'

/** One rendered message for one recipient. */
export interface OutgoingEmail {
  /** The message row's id; part of the Message-ID, so that receivers recognise a repeat. */
  messageId: string
  from: { name: string; address: string }
  replyTo?: string
  to: string
  subject: string
  html: string
  text: string
  headers: Record<string, string>
  /** The account, when its failures return to its own mailbox. */
  accountId?: string
}

/**
 * The result of one send (engine, "Message states"). A provider's answer is data, never an exception:
 * - `accepted`: the provider took responsibility.
 * - `rejected`: a permanent refusal (SMTP 5xx to RCPT or DATA). `isRecipientFault`: the address itself is bad (hard
 *   bounce); `suppress` is the reason for its suppression (without it: a hard bounce).
 * - `retry`: proof that the message was not accepted: connection refused or lost before the end of DATA, SMTP 4xx,
 *   sign-in refused. `isOfMessage`: sender, recipient or content were known, so it may concern the receiving domain.
 * - `unknown`: the body was sent and no answer arrived. Never resent automatically.
 */
export type Outcome =
  | { kind: 'accepted'; providerId: string; response: string; segments?: number; cost?: Cost }
  | {
      kind: 'rejected'
      reason: string
      response: string
      isRecipientFault: boolean
      suppress?: 'unsubscribed' | 'invalid'
    }
  | { kind: 'retry'; reason: string; response: string; retryAfterMs?: number; isOfMessage?: true }
  | { kind: 'unknown'; reason: string; response: string }

export interface EmailChannel {
  /** Maximum number of messages in flight: the bound of engine rule D10. */
  readonly poolSize: number
  /** The built-in mailbox: accepted mail stays on this server. */
  readonly isMailbox?: boolean
  send(message: Authorized<OutgoingEmail>): Promise<Outcome>
  /** Connects and signs in without sending; returns the server's reply on failure. */
  check(): Promise<{ isOk: true } | { isOk: false; response: string }>
  close(): Promise<void>
}

/** Millionths of a currency's unit (providers charge fractions of a cent), with its ISO 4217 code. */
export interface Cost {
  amountMicros: number
  currency: string
}

/** One composed text message. */
export interface OutgoingText {
  /** The message row's id, sent as a reference where the provider supports one. */
  messageId: string
  channel: TextChannelName
  /** E.164. */
  to: string
  /** The text the shopper reads; with a template, the filled template. */
  text: string
  /** null: free text (SMS; WhatsApp within 24 hours of the shopper's own message). */
  template: { name: string; language: string; body: string[]; buttonUrlSuffix: string | null } | null
}

/** A text's size and price, as known before sending. */
export interface TextEstimate {
  segments: number
  cost: Cost
}

/** SMS or WhatsApp through a provider. Requirements of providers and countries beyond the rules of C6 are behind it. */
export interface TextChannel {
  /** Maximum number of messages in flight: the bound of engine rule D10. */
  readonly poolSize: number
  /**
   * For channels that need an approved template outside the 24-hour window: the chosen one, null = none yet. Omitted by
   * others.
   */
  readonly template?: TextTemplate | null
  /** The carrier, unless it is the account's own provider. */
  readonly carrier?: 'operator' | 'sandbox'
  /** Only on the operator's own account: credits pay for texts beyond the plan (decision 85). */
  readonly credits?: { perMille: number }
  /** Pure. The budget and the displayed price use it. */
  estimate(message: Pick<OutgoingText, 'to' | 'text' | 'template'>): TextEstimate
  /** Never throws for a provider's response. */
  send(message: Authorized<OutgoingText>): Promise<Outcome>
  /** Verifies the credentials without sending. `detail`: the provider's data about the account. */
  check(): Promise<{ isOk: true; detail?: string } | { isOk: false; response: string }>
  /** Where the provider approves templates. Throws the provider's text as an Error. */
  listTemplates?(): Promise<ProviderTemplate[]>
  /** Where the provider reports a message's price later: that price; null until it is known. */
  priceOf?(providerId: string): Promise<Cost | null>
  close(): Promise<void>
}

/** One notification for one browser. */
export interface OutgoingPush {
  /** The message row's id. */
  messageId: string
  subscription: Pick<BrowserSubscription, 'endpoint' | 'keys'>
  /** The store's key with which the subscription was made. */
  vapid: { publicKey: string; privateKey: string }
  payload: PushPayload
  /** A newer message replaces an older one of the same topic at the service (RFC 8030, 5.4). */
  topic: string
  /** Called before a follow-up request: whether the decision still holds. */
  mayGoOn: () => boolean
}

/**
 * - `gone`: the subscription has ended; the person may have others.
 * - `unauthorized`: the service rejected our signature.
 */
export type PushAnswer = Outcome | { kind: 'gone'; response: string } | { kind: 'unauthorized'; response: string }

/** The push services of browsers. */
export interface PushChannel {
  /** Maximum number of messages in flight: the bound of engine rule D10. */
  readonly poolSize: number
  send(message: Authorized<OutgoingPush>): Promise<PushAnswer>
  close(): Promise<void>
}

/**
 * A provider's later report about an accepted message. The caller has verified that it comes from the account's
 * provider.
 */
export interface DeliveryReport {
  accountId: string
  channel: TextChannelName
  providerId: string
  /** Our row's id, where the callback includes it. */
  messageId?: string
  status: 'sent' | 'delivered' | 'read' | 'failed'
  /** The provider's error code, unchanged. */
  code: string | null
  at: Date
  /** The number is bad or has opted out at the provider: no further messages. */
  suppress?: 'unsubscribed' | 'invalid'
}

/**
 * A text from a shopper, which opens WhatsApp's 24 hours of free text. For `recordInbound`; keywords such as STOP are
 * handled elsewhere.
 */
export interface InboundText {
  channel: TextChannelName
  /** E.164. */
  from: string
  at: Date
}
