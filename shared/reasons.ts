import { textCodes } from './text-codes.ts'

// Why a message was sent, held, skipped or cancelled: one sentence per reason code, for a shop owner. Codes are written by
// `server/messages/decide.ts` and by the verbs of `server/messages/messages.ts`.

export const reasonTexts: Record<string, string> = {
  ok: 'Every check passed at the moment of sending.',
  fence_degraded:
    'Every check passed; the store answered too slowly, so orders known from the last 15 minutes were used.',
  instance_paused: 'This copy of the product is paused until an owner confirms that it is the live one.',
  store_disconnected: 'The store is disconnected.',
  sender_missing: 'The store has no sender name or postal address yet. Both are required in marketing mail.',
  flow_off: 'The flow is switched off.',
  flow_removed: 'The flow or this step no longer exists.',
  cart_active: 'The shopper is still active. Nothing is sent before they have been quiet long enough.',
  purchase_in_progress: 'An order was placed and awaits its payment, so nothing is sent for now.',
  purchased: 'The shopper has bought. No further message goes out for this cart.',
  emptied: 'The shopper emptied the cart.',
  lost: 'The cart was given up long ago.',
  merged: 'Two carts of the same shopper were joined, so that nobody gets the same message twice.',
  too_old: 'It was not possible to send in time, and a late reminder would do more harm than good.',
  superseded: 'A later step was due as well, so only that one goes out.',
  holdout: 'This shopper is in the control group, which is not contacted so that the true effect can be measured.',
  suppressed_unsubscribed: 'The shopper has unsubscribed.',
  suppressed_complaint: 'The shopper reported an earlier message as spam.',
  suppressed_hard_bounce: 'The address does not exist: an earlier message came back.',
  suppressed_manual: 'The address was put on the suppression list by hand.',
  suppressed_invalid: 'The address is not valid.',
  suppressed_erased: 'The person asked to be erased.',
  no_contact: 'No usable email address is known yet.',
  no_consent: 'The law where the shopper lives asks for consent first, and none was given.',
  consent_pending: 'The shopper was asked to confirm and has not answered yet.',
  consent_unconfirmed:
    'The shopper said yes, but where they live a yes has to be confirmed first, and this one was not.',
  consent_withdrawn: 'The shopper has withdrawn consent.',
  store_unreachable:
    'The store does not answer, so it is not certain that the shopper has not bought. Nothing is sent blindly.',
  frequency_cap: 'The shopper has had as many messages lately as the frequency cap allows.',
  render_failed: 'The message could not be built from its template.',
  plan_limit: 'The plan’s messages for this month are used up.',
  retry: 'The mail server did not accept it for now; it is tried again.',
  changed: 'Something about the cart changed at the last moment, so it is decided anew.',
  disconnected: 'The store was disconnected.',
  step_removed: 'The step was removed from the flow.',
  accepted: 'The mail server accepted the message.',
  rejected: 'The mail server refused the message for good.',
  'rejected:smtp_550':
    'The mail server refused the message for good: it does not know the address, or takes no such mail.',
  'rejected:smtp_552':
    'The mail server refused the message for good: the mailbox is full, or the mail is too large for it.',
  'rejected:smtp_553': 'The mail server refused the message for good: it does not take the address.',
  'rejected:smtp_554': 'The mail server refused the message for good: it takes no such mail.',
  unknown: 'The message was handed over, but no answer came. It is never sent again on its own.',
  bounced: 'The message came back: the address does not exist or takes no mail. It is not written to again.',
  'bounced:refused': 'The message came back: the receiving server refused it. The address itself is not at fault.',
  'bounced:soft': 'The receiving server could not deliver it for now, for example because the mailbox is full.',
  complaint: 'The shopper reported this message as spam. The address is not written to again.',
  delivered: 'The message reached the shopper.',
  undelivered: 'The message did not reach the shopper.',
  sms_not_configured: 'SMS is not set up yet. Enter the credentials under Settings, Sending.',
  whatsapp_not_configured: 'WhatsApp is not set up yet. Enter the credentials under Settings, Sending.',
  template_missing:
    'WhatsApp delivers approved templates only, unless the shopper wrote in the last 24 hours, and none is chosen under Settings, Sending.',
  whatsapp_marketing_refused: 'WhatsApp delivers no marketing messages to numbers of +1.',
  sms_once_per_cart: 'A cart of a US shopper may get one SMS, and this one has had it.',
  sms_too_late: 'An SMS about a cart may go to the US within 48 hours of it being left, and that is over.',
  cooldown: 'This cart had a message of the same kind a short time ago.',
  quiet_hours: 'It is night where the shopper lives; nobody is disturbed then.',
  receiver_paused:
    'The receiving server takes no more mail from here for now. One message at a time tries whether it does again.',
  plan_required: 'SMS and WhatsApp in flows are part of the Growth plan.',
  budget: 'The monthly budget for SMS and WhatsApp is used up.',
  cart_missing: 'There is no such cart in this store.',
}

/** What reads differently where a phone is written to. */
const ofTexts: Record<string, string> = {
  no_contact: 'No usable phone number is known yet.',
  suppressed_hard_bounce: 'The number does not take messages.',
  suppressed_manual: 'The number was put on the suppression list by hand.',
  suppressed_invalid: 'The number is not valid or takes no messages.',
  suppressed_unsubscribed: 'The shopper has asked to get no more messages (STOP).',
  no_consent: 'The shopper has not agreed to messages on this channel, and without a yes none may be sent.',
  consent_pending: 'The shopper is asked by SMS to confirm, and has not replied YES yet.',
  retry: 'The provider did not accept it for now; it is tried again.',
  accepted: 'The provider accepted the message.',
  rejected: 'The provider refused the message for good.',
}

/**
 * The sentence of a reason; texts have their own, and name the provider's where one is known (`undelivered:30005`). What is tried again
 * has its code in the provider's answer (`190 Error validating access token`).
 */
export function explain(reason: string | null, channel?: string, response?: string | null): string {
  if (!reason) return ''
  const [kind = '', detail = ''] = reason.split(':')
  const isText = channel === 'sms' || channel === 'whatsapp'
  if (isText && textCodes[detail]) return textCodes[detail].words
  const answered = isText && reason === 'retry' ? textCodes[/^\d+/.exec(response ?? '')?.[0] ?? ''] : undefined
  if (answered) return `${answered.words} It is tried again.`
  return (isText ? ofTexts[kind] : undefined) ?? reasonTexts[reason] ?? reasonTexts[kind] ?? reason
}
