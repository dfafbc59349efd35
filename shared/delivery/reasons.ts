import { isStoreProblem, STORE_PROBLEM_TEXT } from '../access/store-problems.ts'
import { textCodes } from '../messages/text-codes.ts'
import { pluginTexts } from '../platforms/plugin-texts.ts'

// Texts of the reasons why a message was sent, held, skipped or cancelled, for shop owners.
// `server/delivery/decide/decide.ts` and `server/messages/messages/messages.ts` write the codes.

const UNREAD = 'The shopper may have bought already, so nothing is sent until the orders have been read.'

const UNASKED = 'The message waits for it; messages without a coupon are sent.'

export const reasonTexts: Record<string, string> = {
  ok: 'Every check passed at the moment of sending.',
  instance_paused: 'This installation is paused until the server’s administrator confirms that it is the live one.',
  account_suspended: 'Sending of this account is suspended by whoever runs this server.',
  store_resting:
    'The plan does not include this store, so it is inactive. It sends nothing until you choose a larger plan or other stores.',
  sending_paused: 'All sending for this store is paused until an owner or admin resumes it.',
  store_disconnected: 'The store is disconnected.',
  sender_missing: 'The store has no sender name or postal address yet. Marketing emails must contain both.',
  flow_off: 'The flow is switched off.',
  flow_removed: 'The flow or this step no longer exists.',
  campaign_paused: 'The campaign is paused.',
  campaign_cancelled: 'The campaign was cancelled.',
  campaign_deleted: 'The campaign was deleted.',
  campaign_left_out: 'The shopper was taken out of the campaign before this was sent.',
  campaign_dropped: 'It was held back, and a member of your team dropped it.',
  cart_active: 'The shopper is still active. Messages are sent only after a period without activity.',
  purchase_in_progress: 'An order was placed and is waiting for payment, so nothing is sent for now.',
  purchased: 'The shopper has bought. No further message goes out for this cart.',
  emptied: 'The cart was emptied in the shop.',
  lost: 'The cart was closed as lost long ago.',
  merged: 'Two carts of the same shopper were merged, so that the shopper does not get the messages of both.',
  too_old: 'The message could not be sent in time, and a late reminder would do more harm than good.',
  'too_old:no_contact': 'No email address was captured in time.',
  'too_old:contact_unconfirmed':
    'An email address was entered while new contacts exceeded the limit, and no order or draft order confirmed it in time.',
  superseded: 'A later message about this cart was due as well or had left already, so this one is not sent any more.',
  holdout: 'This shopper is in the control group, which is not contacted so that the true effect can be measured.',
  suppressed_unsubscribed: 'The shopper has unsubscribed.',
  suppressed_complaint: 'The shopper reported an earlier message as spam.',
  suppressed_hard_bounce: 'The address does not exist: an earlier message bounced.',
  suppressed_manual: 'The address was added to the suppression list manually.',
  suppressed_invalid: 'The address is not valid.',
  suppressed_erased: 'The person’s data was erased.',
  no_contact: 'No usable email address has been captured yet.',
  contact_unconfirmed:
    'An email address was entered while new contacts exceeded the limit. It is used once an order or draft order confirms it.',
  no_consent: 'The law where the shopper lives requires consent first, and none was given.',
  consent_pending: 'The shopper was asked to confirm and has not answered yet.',
  consent_unconfirmed:
    'The shopper opted in, but where they live an opt-in must be confirmed first, and this one was not.',
  consent_withdrawn: 'The shopper has withdrawn consent.',
  store_unreachable: `The store’s orders could not be read. ${UNREAD}`,
  'store_unreachable:internal': `Reading the store failed on our side. ${UNREAD}`,
  'store_unreachable:keys_unreadable': `The keys of this store can no longer be read: it has to be connected again. ${UNREAD}`,
  'store_unreachable:orders_unreported': `Recoup cannot reach the shop, so the message waits for the plugin’s next report of orders: the shopper may have bought already. ${pluginTexts.reportsByCron}`,
  'store_unreachable:stock_unreported': `The shop’s plugin has not reported stock and prices yet. The message is sent within a minute of its report. ${pluginTexts.reportsByCron}`,
  'store_unreachable:plugin_outdated':
    'Recoup cannot reach the shop, and this version of its plugin does not report stock and prices. Update the plugin in WordPress.',
  items_gone: 'Nothing in the cart can be bought any more: everything is sold out or no longer for sale.',
  frequency_cap:
    'The shopper has already had as many messages as one person may get in the time set under Settings, Recovery rules.',
  coupon_pending: 'The personal coupon code of this message is being created in the store.',
  coupon_failed: 'The store did not create the personal coupon code of this message. Recoup keeps trying.',
  coupon_unread: `The store did not answer about the coupon. ${UNASKED}`,
  coupon_invalid: 'The coupon is not valid for this message.',
  'coupon_invalid:gone': 'The coupon was deleted in the store.',
  'coupon_invalid:unreadable':
    'The store did not tell what the coupon is: its key may not read coupons, or the coupon cannot be read.',
  'coupon_invalid:inactive': 'The coupon is not active.',
  'coupon_invalid:not_started': 'The coupon’s start date is still to come.',
  'coupon_invalid:expired': 'The coupon has expired, or expires too soon for the shopper to use it.',
  'coupon_invalid:used_up': 'The coupon has been used as often as its usage limit allows.',
  'coupon_invalid:used_before': 'The shopper has used this coupon as often as one customer may.',
  'coupon_invalid:email': 'The coupon is restricted to other email addresses.',
  'coupon_invalid:currency': 'The coupon is in another currency than the cart.',
  'coupon_invalid:min_spend': 'The cart is below the coupon’s minimum spend.',
  'coupon_invalid:max_spend': 'The cart is above the coupon’s maximum spend.',
  'coupon_invalid:products': 'The coupon is for other products than those in the cart.',
  'coupon_invalid:sale_items': 'The coupon excludes sale items, and the cart has them.',
  'coupon_invalid:nothing_off': 'The coupon takes nothing off this cart.',
  coupon_withheld: 'The step’s rules keep this shopper from getting the coupon.',
  'coupon_withheld:first_order': 'The coupon is for first-time buyers only, and this shopper has bought before.',
  'coupon_withheld:pause': 'The shopper used a coupon of yours recently. The step gives it only after a pause.',
  'coupon_withheld:above': 'The coupon is only for carts above a value, and this cart is not above it.',
  render_failed: 'The message could not be built from its template.',
  'render_failed:too_slow': 'The message’s text takes too long to render. Please simplify it.',
  template_error:
    'The message’s text took too long to render, twice. The message is not retried: simplify the text and send it again.',
  plan_limit: 'The plan allows no more messages this month.',
  retry: 'The mail server temporarily refused the message. It will be retried.',
  changed: 'Something about the cart changed at the last moment, so the message is checked again.',
  disconnected: 'The store was disconnected.',
  condition: 'The conditions of the step did not hold for this cart and its shopper when the message was due.',
  step_removed: 'The step was removed from the flow.',
  accepted: 'The mail server accepted the message.',
  rejected: 'The mail server permanently refused the message.',
  'rejected:smtp_550':
    'The mail server permanently refused the message: it does not know the address, or does not accept such email.',
  'rejected:smtp_552':
    'The mail server permanently refused the message: the mailbox is full, or the email is too large for it.',
  'rejected:smtp_553': 'The mail server permanently refused the message: it does not accept the address.',
  'rejected:smtp_554': 'The mail server permanently refused the message: it does not accept such email.',
  unknown: 'The message may have been sent, but no answer came. It is never resent automatically.',
  bounced: 'The message bounced: the address does not exist or accepts no email. It gets no more messages.',
  'bounced:refused': 'The message bounced: the receiving server refused it, but not because of the address.',
  'bounced:soft': 'The receiving server could not deliver it yet, for example because the mailbox is full.',
  complaint: 'The shopper reported this message as spam. The address gets no more messages.',
  opt_out: 'The shopper unsubscribed at the mail provider. The address gets no more messages.',
  delivered: 'The message reached the shopper.',
  undelivered: 'The message did not reach the shopper.',
  mail_not_configured:
    'No mail server is set up yet, so no email is sent. Enter one under Settings, Sending, Mail server.',
  mail_server_away:
    'Your mail server is not accepting email at the moment. Recoup keeps retrying; Settings, Sending, Mail server shows its answer.',
  'accepted:mailbox':
    'The message is in the mailbox on this server. It was not sent to the shopper, because no mail server is set up.',
  push_not_configured: 'Push notifications are not set up yet. Generate VAPID keys under Push notifications.',
  sms_not_configured: 'SMS is not set up yet. Enter the credentials under Settings, Sending.',
  whatsapp_not_configured: 'WhatsApp is not set up yet. Enter the credentials under Settings, Sending.',
  template_missing:
    'WhatsApp delivers only approved templates unless the shopper wrote within the last 24 hours. No template is chosen under Settings, Sending.',
  whatsapp_marketing_refused: 'WhatsApp delivers no marketing messages to numbers that begin with +1.',
  sms_once_per_cart: 'A US shopper may get only one SMS per cart, and this cart has had it.',
  sms_too_late:
    'In the US, an SMS about a cart may be sent only within 48 hours of its abandonment. That time is over.',
  cooldown: 'A message of the same kind was sent for this cart a short time ago.',
  quiet_hours: 'It is within quiet hours where the shopper lives.',
  domain_throttled:
    'The receiving server is not accepting more email from here for now. Recoup retries with one message at a time.',
  plan_required: 'SMS and WhatsApp in flows and planned campaigns are part of the Growth plan.',
  new_account:
    'A new account can send its first emails to only so many people without an order in 24 hours. Recoup tries again by itself; the limit rises after a day, a week and a month.',
  budget: 'The monthly budget for SMS and WhatsApp is used up.',
  cart_missing: 'Cart not found in this store.',
  customer_missing: 'Customer not found in this store.',
}

/** Texts that differ for SMS and WhatsApp. */
const TEXT_MESSAGE_REASONS: Record<string, string> = {
  no_contact: 'No usable phone number has been captured yet.',
  'too_old:no_contact': 'No phone number was captured in time.',
  'too_old:contact_unconfirmed':
    'A phone number was entered while new contacts exceeded the limit, and no order or draft order confirmed it in time.',
  contact_unconfirmed:
    'A phone number was entered while new contacts exceeded the limit. It is used once an order or draft order confirms it.',
  suppressed_hard_bounce: 'The number does not accept messages.',
  suppressed_manual: 'The number was added to the suppression list manually.',
  suppressed_invalid: 'The number is not valid or does not accept messages.',
  suppressed_unsubscribed: 'The shopper has opted out of messages (STOP).',
  no_consent: 'The shopper has not opted in to messages on this channel, and opt-in is required.',
  consent_pending: 'The shopper was asked by SMS to confirm and has not replied YES yet.',
  retry: 'The provider temporarily refused the message. It will be retried.',
  accepted: 'The provider accepted the message.',
  rejected: 'The provider permanently refused the message.',
}

/** Texts that differ for push. */
const PUSH_REASONS: Record<string, string> = {
  no_contact: 'The shopper has not allowed notifications in the browser that filled the cart.',
  'too_old:no_contact': 'The browser that filled the cart allowed no notifications in time.',
  no_consent: 'The shopper has not allowed notifications.',
  consent_withdrawn: 'The shopper has stopped these notifications.',
  delivered: 'The shopper’s browser has shown the notification.',
  suppressed_unsubscribed: 'The shopper has unsubscribed.',
  retry: 'The push service did not take the notification yet. It will be retried.',
  accepted: 'The push service accepted the notification.',
  rejected: 'The push service permanently refused the notification.',
  'rejected:push_gone': 'None of the shopper’s browsers takes notifications any more.',
  'rejected:push_413': 'The notification is too large for the push service, even without its picture.',
  'rejected:push_private_address':
    'The push service’s name led to an address in a private network, so nothing was sent there.',
}

/**
 * The text of a reason. SMS and WhatsApp have variants, also by provider code (`undelivered:30005`). For temporary
 * failures, the code is in the provider's response (`190 Error validating access token`).
 */
export function explain(reason: string | null, channel?: string, response?: string | null): string {
  if (!reason) return ''
  const [kind = '', detail = ''] = reason.split(':')
  const isText = channel === 'sms' || channel === 'whatsapp'
  if (isText && textCodes[detail]) return textCodes[detail].text
  const answered = isText && reason === 'retry' ? textCodes[/^\d+/.exec(response ?? '')?.[0] ?? ''] : undefined
  if (answered) return `${answered.text} It will be retried.`
  return (
    (isText
      ? (TEXT_MESSAGE_REASONS[reason] ?? TEXT_MESSAGE_REASONS[kind])
      : channel === 'push'
        ? (PUSH_REASONS[reason] ?? PUSH_REASONS[kind])
        : undefined) ??
    reasonTexts[reason] ??
    describeStoreReason(reason) ??
    reasonTexts[kind] ??
    reason
  )
}

/** Names the store's error, such as a refused connection instead of a slow response. */
function describeStoreReason(reason: string): string | undefined {
  const [kind, problem] = reason.split(':')
  const ending = kind === 'store_unreachable' ? UNREAD : kind === 'coupon_unread' ? UNASKED : undefined
  const texts = ending && isStoreProblem(problem) ? STORE_PROBLEM_TEXT[problem] : undefined
  return texts && `${texts.sentence} ${ending}`
}
