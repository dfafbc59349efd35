import type { Stage } from '../insights/stages.ts'
import type { NotificationData, NotificationType } from './notifications.ts'

// Icon, topic and link of each notification type (decisions 64, 65 and 70). Pure.

/** Topics for which members choose the delivery. The settings show label and hint. */
export const notificationTopics = {
  new_carts: { label: 'Abandoned carts', hint: 'New abandoned carts (hourly summary above 10 a day)' },
  recovered: {
    label: 'Recovered carts',
    hint: 'Shoppers who came back and bought (summary when there are many)',
  },
  sent: { label: 'Messages sent', hint: 'Hourly summary per channel' },
  failed: { label: 'Messages not delivered', hint: 'Bounced or refused messages, and texts with errors' },
  stopped: {
    label: 'Outages',
    hint: 'Cart tracking, sync or sending stops or recovers',
  },
  sending: { label: 'Receiving domains', hint: 'A mail provider refuses or delays your email, or accepts it again' },
  capture: { label: 'Unusual traffic', hint: 'Far more new contacts than usual' },
  store: { label: 'Store connection', hint: 'Connected or refused, and connection tests' },
  complaints: { label: 'Spam complaints', hint: 'Shoppers who report a message as spam' },
  campaigns: {
    label: 'Paused campaigns',
    hint: 'Paused for bounces, complaints, your plan or a payment; postponed runs',
  },
  limits: { label: 'Limits', hint: 'Plan limits at 80% and 100%, and your budget' },
  billing: { label: 'Billing', hint: 'Trial, failed payments, plan changes and suspension' },
  imports: { label: 'Imports', hint: 'A consent import is finished' },
} as const satisfies Record<string, { label: string; hint: string }>
export type NotificationTopic = keyof typeof notificationTopics

/** Icon names, mapped to images by the browser. */
export type NotificationIcon =
  | 'cart'
  | 'recovered'
  | 'email'
  | 'sms'
  | 'whatsapp'
  | 'push'
  | 'alarm'
  | 'resumed'
  | 'capture'
  | 'receiver'
  | 'store'
  | 'test'

/** Red, green and blue of B 2. */
export type NotificationTone = 'problem' | 'good' | 'neutral'

/** The filter that shows it, besides All and Unread. */
export type NotificationGroup = 'problem' | 'new-cart' | null

export interface NotificationAction {
  label: string
  to: string
}

interface Kind<Type extends NotificationType> {
  topic: NotificationTopic
  icon: NotificationIcon
  group: NotificationGroup
  action: (data: NotificationData[Type]) => NotificationAction | null
}

const linkCart = (label: string) => (data: object) =>
  'cartId' in data && typeof data.cartId === 'string'
    ? { label, to: `/carts/${encodeURIComponent(data.cartId)}` }
    : { label: 'Open the carts', to: '/carts' }

const buildSentKind = (icon: NotificationIcon) =>
  ({ topic: 'sent', icon, group: null, action: linkCart('Open the cart') }) satisfies Kind<'email_sent'>
const buildFailedKind = (icon: NotificationIcon) =>
  ({ topic: 'failed', icon, group: 'problem', action: linkCart('Why was it not sent?') }) satisfies Kind<'email_failed'>

/** The screen where the owner can fix a stopped stage; null: only the server's administrator can. */
const cureOf: Record<Stage, (cause: string) => NotificationAction | null> = {
  capture: () => ({ label: 'Check cart tracking', to: '/settings/capture-script' }),
  sync: () => ({ label: 'Reconnect', to: '/settings' }),
  detection: () => null,
  sending: (cause) =>
    cause === 'mail_server'
      ? { label: 'Check the mail server', to: '/settings/sending/mail-server' }
      : { label: 'Open the sending settings', to: '/settings/sending' },
  reports: () => ({ label: 'Open the sending settings', to: '/settings/sending' }),
}

const openBilling = () => ({ label: 'Open billing', to: '/billing' })
const linkBilling = (icon: NotificationIcon, group: NotificationGroup) =>
  ({ topic: 'billing', icon, group, action: openBilling }) satisfies Kind<'plan_changed'>

const kinds: { [Type in NotificationType]: Kind<Type> } = {
  cart_abandoned: { topic: 'new_carts', icon: 'cart', group: 'new-cart', action: linkCart('Open the cart') },
  cart_recovered: { topic: 'recovered', icon: 'recovered', group: null, action: linkCart('Open the cart') },
  email_sent: buildSentKind('email'),
  sms_sent: buildSentKind('sms'),
  whatsapp_sent: buildSentKind('whatsapp'),
  push_sent: buildSentKind('push'),
  email_failed: buildFailedKind('email'),
  sms_failed: buildFailedKind('sms'),
  whatsapp_failed: buildFailedKind('whatsapp'),
  push_failed: buildFailedKind('push'),
  stage_failed: {
    topic: 'stopped',
    icon: 'alarm',
    group: 'problem',
    action: ({ stage, cause }) => cureOf[stage](cause),
  },
  stage_resumed: { topic: 'stopped', icon: 'resumed', group: null, action: () => null },
  capture_flood: {
    topic: 'capture',
    icon: 'capture',
    group: 'problem',
    action: () => ({ label: 'Open the carts', to: '/carts' }),
  },
  question_flood: {
    topic: 'capture',
    icon: 'sms',
    group: 'problem',
    action: () => ({ label: 'Open the sending settings', to: '/settings/sending' }),
  },
  domain_throttled: {
    topic: 'sending',
    icon: 'receiver',
    group: 'problem',
    action: () => ({ label: 'Open the sending settings', to: '/settings/sending' }),
  },
  domain_reopened: { topic: 'sending', icon: 'receiver', group: null, action: () => null },
  connection_test: { topic: 'store', icon: 'test', group: null, action: () => null },
  store_connected: {
    topic: 'store',
    icon: 'store',
    group: null,
    action: () => ({ label: 'Open the dashboard', to: '/dashboard' }),
  },
  store_check_failed: {
    topic: 'store',
    icon: 'alarm',
    group: 'problem',
    action: () => ({ label: 'Reconnect', to: '/settings' }),
  },
  store_uninstalled: {
    topic: 'store',
    icon: 'alarm',
    group: 'problem',
    action: () => ({ label: 'Reconnect', to: '/settings' }),
  },
  privacy_asked: {
    topic: 'store',
    icon: 'store',
    group: 'problem',
    action: () => ({ label: 'Open consent', to: '/settings/consent' }),
  },
  push_refused: {
    topic: 'store',
    icon: 'push',
    group: 'problem',
    action: () => ({ label: 'Open push notifications', to: '/push-setup' }),
  },
  complaint_failed: { topic: 'complaints', icon: 'alarm', group: 'problem', action: linkCart('Open the cart') },
  campaign_paused: {
    topic: 'campaigns',
    icon: 'alarm',
    group: 'problem',
    action: ({ campaignId }) => ({ label: 'Open the campaign', to: `/campaigns/${encodeURIComponent(campaignId)}` }),
  },
  campaign_postponed: {
    topic: 'campaigns',
    icon: 'alarm',
    group: 'problem',
    action: ({ campaignId }) => ({ label: 'Open the campaign', to: `/campaigns/${encodeURIComponent(campaignId)}` }),
  },
  import_doubted: {
    topic: 'stopped',
    icon: 'alarm',
    group: 'problem',
    action: () => ({ label: 'Check the import', to: '/settings/consent#import' }),
  },
  import_finished: {
    topic: 'imports',
    icon: 'capture',
    group: null,
    action: () => ({ label: 'Open the consents', to: '/settings/consent' }),
  },
  plan_limit: {
    topic: 'limits',
    icon: 'alarm',
    group: 'problem',
    action: () => ({ label: 'See the plans', to: '/pricing' }),
  },
  plan_near_limit: {
    topic: 'limits',
    icon: 'alarm',
    group: 'problem',
    action: () => ({ label: 'See the plans', to: '/pricing' }),
  },
  budget_reached: {
    topic: 'limits',
    icon: 'alarm',
    group: 'problem',
    action: () => ({ label: 'Open the sending settings', to: '/settings/sending' }),
  },
  budget_set: {
    topic: 'limits',
    icon: 'sms',
    group: 'problem',
    action: () => ({ label: 'Open the sending settings', to: '/settings/sending' }),
  },
  credits_low: { ...linkBilling('alarm', 'problem'), topic: 'limits' },
  credits_empty: { ...linkBilling('alarm', 'problem'), topic: 'limits' },
  trial_ending: linkBilling('alarm', 'problem'),
  trial_ended: linkBilling('alarm', 'problem'),
  trial_refused: linkBilling('alarm', 'problem'),
  payment_failed: linkBilling('alarm', 'problem'),
  payment_recovered: linkBilling('resumed', null),
  plan_changed: linkBilling('store', null),
  account_suspended: { ...linkBilling('alarm', 'problem'), action: () => null },
  account_resumed: { ...linkBilling('resumed', null), action: () => null },
}

export interface NotificationStyle {
  topic: NotificationTopic
  icon: NotificationIcon
  tone: NotificationTone
  group: NotificationGroup
  /** The button in the detail view; null: none. */
  action: NotificationAction | null
  /** It is a connection test. */
  isTest: boolean
}

/** `data` may come over HTTP, so ids for links are validated. */
export function getNotificationStyle({ type, data }: { type: NotificationType; data: object }): NotificationStyle {
  const { topic, icon, group, action } = kinds[type] as Kind<NotificationType>
  return {
    topic,
    icon,
    group,
    tone: readTone(type),
    isTest: 'test' in data && data.test === true,
    action: action(data as NotificationData[NotificationType]),
  }
}

/** B 2: red if the type contains "failed", green if it contains "sent", else blue. */
export const readTone = (type: string): NotificationTone =>
  type.includes('failed') ? 'problem' : type.includes('sent') ? 'good' : 'neutral'

export const readTopic = (type: NotificationType): NotificationTopic => kinds[type].topic
export const isProblem = (type: NotificationType): boolean => kinds[type].group === 'problem'
export const listTopicTypes = (topic: NotificationTopic): NotificationType[] =>
  (Object.keys(kinds) as NotificationType[]).filter((type) => kinds[type].topic === topic)

/** Decision 65: by default, owners get problems by email at once, and nothing else. */
export const isMailedToOwners = (topic: NotificationTopic): boolean => listTopicTypes(topic).some(isProblem)

/**
 * For a topic with problems, only these are mailed at once; recoveries are in the bell and the daily summary. Billing
 * notifications are all mailed.
 */
export const isMailedAtOnce = (type: NotificationType): boolean =>
  isProblem(type) || readTopic(type) === 'billing' || !isMailedToOwners(readTopic(type))

/** The settings' label for immediate mail on a topic. */
export const getAtOnceLabel = (topic: NotificationTopic): string =>
  listTopicTypes(topic).every(isMailedAtOnce) ? 'At once' : 'Problems at once'
