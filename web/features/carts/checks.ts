import type { MessageView } from '../../../shared/carts/carts.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import { getCountryName } from '../../../shared/insights/analytics-definitions.ts'

// The checks of one decision (D2), in order, as text. Pure.

type Decision = MessageView['decisions'][number]
type Channel = MessageView['channel']

export interface CheckLine {
  result: 'passed' | 'held' | 'failed'
  text: string
}

interface Facts {
  inputs: Record<string, unknown>
  channel: Channel
  /** After its age limit: checks that only delay are skipped. */
  isLate: boolean
  reason: string
}

interface Check {
  /** Reasons, without their detail after the colon, that end the decision at this check. */
  reasons: string[]
  /** Text for a passed check; null if it did not run. */
  passed: (facts: Facts) => string | null
}

/**
 * Checks up to the deciding one. Empty if none are recorded: a message cancelled with its flow, or a reply after
 * sending.
 */
export function listChecks(decision: Decision, channel: Channel): CheckLine[] {
  const { inputs, reason, outcome } = decision
  if (outcome === 'result' || !('ordersReadAt' in inputs)) return []
  const isLate = typeof inputs.expires === 'string' && decision.at >= inputs.expires
  const facts = { inputs, channel, isLate, reason }
  const checks = selectChecks(facts)
  const kind = reason.split(':')[0]!
  const deciding = outcome === 'send' ? checks.length : checks.findIndex(({ reasons }) => reasons.includes(kind))
  if (deciding < 0) return []
  const lines: CheckLine[] = checks.slice(0, deciding).flatMap(({ passed }) => {
    const text = passed(facts)
    return text ? [{ result: 'passed', text }] : []
  })
  if (outcome === 'send') return lines
  return [...lines, { result: outcome === 'hold' ? 'held' : 'failed', text: decision.explanation }]
}

/** Subject of a decision; the message's channel may have changed since. */
export const findDecidedChannel = ({ inputs: { channel } }: Pick<Decision, 'inputs'>, now: Channel): Channel =>
  CHANNELS.find((each) => each === channel) ?? now

const CHANNELS: readonly Channel[] = ['email', 'sms', 'whatsapp', 'push']

function selectChecks({ inputs, channel, reason }: Facts): Check[] {
  const isText = channel === 'sms' || channel === 'whatsapp'
  // The draw at this decision happens only after the shopper was found reachable (F1).
  const wasDrawnNow = reason === 'holdout' && inputs.arm === null
  return [
    ...situation,
    ...(wasDrawnNow ? [] : [holdout]),
    ...permission,
    ...(wasDrawnNow ? [holdout] : []),
    ...purchase,
    ...(isText ? textPace : channel === 'push' ? [quietHours] : []),
    coupon,
    ...delivery,
  ]
}

const skipIfExpired =
  (text: string) =>
  ({ isLate }: Facts) =>
    isLate ? null : text

const situation: Check[] = [
  {
    reasons: [
      'instance_paused',
      'flow_removed',
      'disconnected',
      'store_disconnected',
      'account_suspended',
      'store_resting',
      'sending_paused',
      'flow_off',
      'campaign_paused',
      'campaign_cancelled',
      'campaign_deleted',
      'campaign_left_out',
      'campaign_dropped',
    ],
    passed: ({ inputs, isLate }) => {
      if (isLate) return 'The store is connected.'
      if (inputs.manual) return 'The store is connected, and sending is not paused.'
      return inputs.campaign
        ? 'The store is connected, the campaign is running, and sending is not paused.'
        : 'The store is connected, the flow is on, and sending is not paused.'
    },
  },
  {
    reasons: [
      'sender_missing',
      'mail_not_configured',
      'sms_not_configured',
      'whatsapp_not_configured',
      'push_not_configured',
    ],
    passed: ({ channel, isLate }) => {
      if (isLate) return null
      return channel === 'email' ? 'Sender and mail server are set up.' : `${getChannelName(channel)} is set up.`
    },
  },
  {
    reasons: ['purchased', 'emptied', 'merged', 'lost'],
    passed: () => 'The shopper has not bought, and the cart is not empty.',
  },
  {
    reasons: ['superseded'],
    passed: ({ inputs }) => (inputs.manual || inputs.campaign ? null : 'No later message of the flow is due yet.'),
  },
  {
    reasons: ['cart_active', 'purchase_in_progress'],
    passed: skipIfExpired('The cart is abandoned, and no order is waiting for payment.'),
  },
  { reasons: ['too_old'], passed: () => 'The message has not expired.' },
  {
    reasons: ['condition'],
    passed: ({ inputs: { conditionHolds } }) =>
      conditionHolds === true ? 'The cart meets the conditions of the step.' : null,
  },
]

const holdout: Check = { reasons: ['holdout'], passed: () => 'The shopper is not in the control group.' }

const permission: Check[] = [
  {
    reasons: [
      'suppressed_unsubscribed',
      'suppressed_complaint',
      'suppressed_hard_bounce',
      'suppressed_manual',
      'suppressed_invalid',
      'suppressed_erased',
    ],
    passed: ({ reason, channel }) => {
      if (reason === 'no_contact' || reason === 'contact_unconfirmed') return null
      if (channel === 'push') return 'The shopper has not stopped notifications.'
      return channel === 'email'
        ? 'The address is not on the suppression list.'
        : 'The number is not on the suppression list.'
    },
  },
  {
    reasons: ['no_contact', 'contact_unconfirmed'],
    passed: ({ channel }) => {
      if (channel === 'push') return 'The shopper’s browser accepts notifications.'
      return channel === 'email' ? 'An email address is known.' : 'A phone number is known.'
    },
  },
  {
    reasons: ['consent_withdrawn', 'no_consent', 'consent_pending', 'consent_unconfirmed'],
    passed: ({ inputs, channel }) => {
      if (channel === 'push') return 'The shopper has allowed notifications in that browser.'
      const { country } = inputs
      const place = typeof country === 'string' && country.length === 2 ? ` of ${getCountryName(country)}` : ''
      return `The consent rule${place} allows this ${nameMessage(channel)}.`
    },
  },
  {
    reasons: ['whatsapp_marketing_refused', 'sms_once_per_cart', 'sms_too_late'],
    passed: ({ channel }) =>
      channel === 'email' || channel === 'push'
        ? null
        : `The country’s other rules for ${getChannelName(channel)} allow this message.`,
  },
]

const purchase: Check[] = [
  {
    reasons: ['store_unreachable'],
    passed: () => 'The store’s latest orders were just checked. None is from this shopper.',
  },
  { reasons: ['items_gone'], passed: () => 'At least one item in the cart is still for sale.' },
  {
    reasons: ['frequency_cap'],
    passed: ({ inputs: { messagesInWindow: used, messagesAllowed: most } }) =>
      `The shopper has had ${used} of ${most} messages that the frequency cap allows.`,
  },
]

const quietHours: Check = {
  reasons: ['quiet_hours'],
  passed: () => 'It is outside quiet hours where the shopper lives.',
}
const textPace: Check[] = [
  { reasons: ['cooldown'], passed: () => 'Enough time has passed since the last message of this kind.' },
  quietHours,
]

const coupon: Check = {
  reasons: ['coupon_pending', 'coupon_failed', 'coupon_unread', 'coupon_invalid', 'coupon_withheld'],
  passed: ({ inputs: { coupon: code, couponIncluded: isIncluded, couponReason: why } }) => {
    if (typeof code !== 'string') return null
    if (isIncluded) return `The coupon ${code} is valid for this message.`
    return `The message is sent without the coupon ${code}. ${explain(typeof why === 'string' ? why : null)}`.trim()
  },
}

const delivery: Check[] = [
  { reasons: ['template_missing', 'render_failed'], passed: () => 'The message was rendered without errors.' },
  {
    reasons: ['mail_server_away', 'domain_throttled'],
    passed: ({ channel }) =>
      channel === 'email' ? 'Your mail server and the receiving server are accepting email.' : null,
  },
  { reasons: ['new_account'], passed: () => null },
  {
    reasons: ['plan_required', 'plan_limit', 'budget'],
    passed: ({ inputs: { planUsed: used, planLimit: limit } }) =>
      typeof limit === 'number' && limit >= 0
        ? `The plan’s limit is not reached: ${used} of ${limit} messages used this month.`
        : 'The plan’s limit is not reached.',
  },
]

const getChannelName = (channel: Channel) =>
  ({ email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp', push: 'Push' })[channel]
const nameMessage = (channel: Channel) => (channel === 'email' ? 'email' : `${getChannelName(channel)} message`)
