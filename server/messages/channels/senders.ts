import { parsePhoneNumberFromString } from 'libphonenumber-js'
import { measureSms } from '../../../shared/messages/sms.ts'
import { estimatePrice, PRICE_CURRENCY } from '../../../shared/messages/text-prices.ts'
import type { OutgoingText, TextEstimate } from './channel.ts'

// Chooses the sender for a country and estimates the price. Pure.

/** `country` null: the default sender. */
export interface Sender {
  country: string | null
  /** E.164, a messaging service (MG…), a short code, or a name of up to 11 letters and digits. */
  sender: string
}

export const findCountry = (phone: string): string | null => parsePhoneNumberFromString(phone)?.country ?? null

export function chooseSender(senders: readonly Sender[], to: string): string | null {
  const country = findCountry(to)
  const own = senders.find((each) => each.country !== null && each.country === country)
  return (own ?? senders.find((each) => each.country === null))?.sender ?? null
}

/** WhatsApp charges for templates; replies within 24 hours are free. */
export function estimateText(
  channel: 'sms' | 'whatsapp',
  { to, text, template }: Pick<OutgoingText, 'to' | 'text' | 'template'>,
): TextEstimate {
  const price = estimatePrice(channel, findCountry(to))
  const segments = channel === 'sms' ? Math.max(1, measureSms(text).segments) : 1
  const isFree = channel === 'whatsapp' && template === null
  return { segments, cost: { amountMicros: isFree ? 0 : price * segments, currency: PRICE_CURRENCY } }
}
