// What a channel must do. One file per channel implements it; nothing else knows a provider's names. How the engine treats each
// kind of channel (whose address, which limit, which words) is one table: traits.ts.

import type { BrowserSubscription, PushPayload } from '../../../shared/push.ts'
import type { TextTemplate } from '../../core/schema/text-channels.ts'
import type { Authorized } from './send-authorization.ts'
import type { ProviderTemplate } from './templates.ts'

export type ChannelName = 'email' | 'sms' | 'whatsapp' | 'push'
/** Those that write to a phone number. */
export type TextChannelName = 'sms' | 'whatsapp'

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
  /** Whose mail it is, where its failures may come back to a mailbox of theirs. */
  accountId?: string
}

/**
 * What became of one send (engine, "Sending"). An answer is data, never an exception:
 * - `accepted`: the provider took responsibility.
 * - `rejected`: a permanent refusal (SMTP 5xx to RCPT or DATA). `isRecipientFault` = the address itself is bad (hard bounce);
 *   `suppress` says with which reason it is never written to again (without it: a hard bounce).
 * - `retry`: proof that it was not accepted: connection refused or lost before the end of DATA, SMTP 4xx, sign-in refused.
 *   `isOfMessage`: said when sender, recipient or content were known, so that it may be about the receiving domain.
 * - `unknown`: the body was sent and no answer came. Never resent automatically.
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
  /** How many messages can be in flight at once: the bound of engine rule D10. */
  readonly poolSize: number
  /** The built-in mailbox: what it accepts stays on this server. */
  readonly isMailbox?: boolean
  send(message: Authorized<OutgoingEmail>): Promise<Outcome>
  /** Connects and signs in without sending; the server's own answer on failure. */
  check(): Promise<{ isOk: true } | { isOk: false; response: string }>
  close(): Promise<void>
}

/** Millionths of a currency's unit (providers price a message at fractions of a cent), with its ISO 4217 code. */
export interface Cost {
  amountMicros: number
  currency: string
}

/** One text message, fully composed. */
export interface OutgoingText {
  /** The message row's id; where a provider takes a reference of ours, this is it. */
  messageId: string
  channel: TextChannelName
  /** E.164. */
  to: string
  /** What the shopper reads; with a template, the template filled in. */
  text: string
  /** null: free text (SMS; WhatsApp within 24 hours of the shopper's own message). */
  template: { name: string; language: string; body: string[]; buttonUrlSuffix: string | null } | null
}

/** What a text would take and cost, as far as known before it is sent. */
export interface TextEstimate {
  segments: number
  cost: Cost
}

/** SMS or WhatsApp through somebody. Everything a provider or a country asks for beyond the rules of C6 is behind it. */
export interface TextChannel {
  /** How many messages can be in flight at once: the bound of engine rule D10. */
  readonly poolSize: number
  /** Channels that need an approved template outside the 24-hour window: the one chosen; null = none yet. Others leave it out. */
  readonly template?: TextTemplate | null
  /** Who carries it, where it is not the account's own provider. */
  readonly carrier?: 'operator' | 'sandbox'
  /** Only where the operator's own account carries it: credits pay for what the plan does not include (decision 85). */
  readonly credits?: { perMille: number }
  /** Pure: the budget is booked by it, the price on screen comes from it. */
  estimate(message: Pick<OutgoingText, 'to' | 'text' | 'template'>): TextEstimate
  /** Never throws for an answer of the provider. */
  send(message: Authorized<OutgoingText>): Promise<Outcome>
  /** Asks the provider whether the credentials are good, without sending. `detail`: what it said of the account. */
  check(): Promise<{ isOk: true; detail?: string } | { isOk: false; response: string }>
  /** Where templates are the provider's to approve. Throws its words as an Error. */
  listTemplates?(): Promise<ProviderTemplate[]>
  /** Where the provider says a message's price later: that price; null while it has not. */
  priceOf?(providerId: string): Promise<Cost | null>
  close(): Promise<void>
}

/** One notification on its way to one browser. */
export interface OutgoingPush {
  /** The message row's id. */
  messageId: string
  subscription: Pick<BrowserSubscription, 'endpoint' | 'keys'>
  /** Of the store: what the subscription was made with. */
  vapid: { publicKey: string; privateKey: string }
  payload: PushPayload
  /** A newer one of the same topic takes an older one's place at the service (RFC 8030, 5.4). */
  topic: string
  /** Asked before a request that follows another one: whether what was decided still counts. */
  mayGoOn: () => boolean
}

/**
 * - `gone`: the subscription has ended; the person may have others.
 * - `unauthorized`: the service does not take our signature.
 */
export type PushAnswer = Outcome | { kind: 'gone'; response: string } | { kind: 'unauthorized'; response: string }

/** The push services of browsers. */
export interface PushChannel {
  /** How many messages can be in flight at once: the bound of engine rule D10. */
  readonly poolSize: number
  send(message: Authorized<OutgoingPush>): Promise<PushAnswer>
  close(): Promise<void>
}

/** What a provider says later of a message it accepted. The caller has checked that it is the account's provider who says it. */
export interface DeliveryReport {
  accountId: string
  channel: TextChannelName
  providerId: string
  /** Where the callback names our own row. */
  messageId?: string
  status: 'sent' | 'delivered' | 'read' | 'failed'
  /** The provider's error code, in its own spelling. */
  code: string | null
  at: Date
  /** The number itself is bad or has opted out at the provider: never written to again. */
  suppress?: 'unsubscribed' | 'invalid'
}

/** A shopper wrote to us: that opens WhatsApp's 24 hours of free text. For `noteInbound`; keywords such as STOP are dealt with apart. */
export interface InboundText {
  channel: TextChannelName
  /** E.164. */
  from: string
  at: Date
}
