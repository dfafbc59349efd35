import { getCouponProblemText, getProblemText } from '../access/store-problems.ts'
import { type BillingNotices, billingNoticeTexts } from '../billing/billing-notices.ts'
import { formatDuration, getResumedText, getStoppedText, type Stage } from '../insights/stages.ts'
import type { ImportDoubt } from '../marketing/ledger.ts'

// Notifications about the cost of SMS and WhatsApp: their data and English text. Pure.

interface TextNotices {
  /** More numbers without an order wait for the SMS confirmation of consent than a store may ask per hour or day. */
  question_flood: { points: number; per: 'hour' | 'day' }
  budget_reached: { renewsAt: string | null }
  /** A budget was set for an account without one; in dollars. Written by the migration that set it. */
  budget_set: { monthly: number }
  /** Once until credits are added again; millionths of a dollar. */
  credits_low: { balanceMicros: number; weekMicros: number }
  credits_empty: { balanceMicros: number }
}

const formatDollars = (micros: number) => `$${(Math.floor(micros / 10_000) / 100).toFixed(2)}`

const textNoticeTexts: {
  [Type in keyof TextNotices]: (data: TextNotices[Type]) => { title: string; message: string }
} = {
  question_flood: ({ points, per }) => ({
    title: 'Unusually many opt-ins to SMS',
    message: `More than ${points} phone numbers without an order opted in to SMS within ${per === 'hour' ? 'an hour' : 'a day'}. Someone may be entering other people’s numbers to run up your costs. Further numbers get their confirmation request later, or not at all after 24 hours. Numbers from orders are not affected.`,
  }),
  budget_reached: () => ({
    title: 'Your budget for SMS and WhatsApp is used up',
    message: 'Further messages wait for a larger budget or the next month. Expired messages are not sent.',
  }),
  budget_set: ({ monthly }) => ({
    title: 'Your SMS and WhatsApp messages now have a monthly budget',
    message: `It is $${monthly.toLocaleString('en-US')}: twice your most expensive month so far, and at least $50. Once it is used up, messages wait for the next month. You can change or remove it.`,
  }),
  credits_low: ({ balanceMicros, weekMicros }) => ({
    title: 'Your SMS credits are running low',
    message: `${formatDollars(balanceMicros)} left. The last seven days cost ${formatDollars(weekMicros)}. Once used up, further SMS wait for the next month, a larger plan or more credits.`,
  }),
  credits_empty: ({ balanceMicros }) => ({
    title: 'Your SMS credits are used up',
    message: `${formatDollars(balanceMicros)} left, which does not cover another SMS. Further SMS wait for the next month, a larger plan or more credits.`,
  }),
}

// All notification types: their stored data (never a sentence) and their English text (decision 64). Pure.

/** Channel names, and who accepts messages of the channel. */
export const channelCopy = {
  email: { word: 'email', provider: 'mail server' },
  sms: { word: 'SMS', provider: 'SMS provider' },
  whatsapp: { word: 'WhatsApp message', provider: 'WhatsApp provider' },
  push: { word: 'notification', provider: 'push service' },
} as const
type Channel = keyof typeof channelCopy

interface AboutCart {
  cartId: string
  customer: string
  /** Name of the first item; null: no item. Missing in older notifications. */
  product?: string | null
  /** Minor units of `currency`. */
  value: number
  currency: string
  /** When it was abandoned or purchased, ISO 8601. */
  timestamp: string
}

/** A summary of an hour or part of a day with many events (decision 65): counts without personal data. */
export interface NotificationSummary {
  count: number
  /** Time of the first and the last event, ISO 8601. */
  since: string
  until: string
}

interface GatheredCarts extends NotificationSummary {
  /** Minor units of `currency`; null: several currencies. */
  value: number | null
  currency: string | null
}

export const isSummary = (data: object): data is NotificationSummary => 'until' in data

interface AboutMessage {
  /** null: no cart. */
  cartId: string | null
  messageId: string
}

interface SentData extends AboutMessage {
  /** Step of a flow; null: sent by a member. */
  step: number | null
  to: string
  /** Stored in this server's own mailbox, so the shopper did not receive it. */
  isInMailbox: boolean
}

export const failedCauses = ['bounced', 'refused', 'undelivered', 'unanswered', 'unrenderable'] as const
export type FailedCause = (typeof failedCauses)[number]

/** Counts by cause. Failures of a text that cannot be rendered (that of `step`) are summarized separately. */
type GatheredFailures = NotificationSummary & Partial<Record<FailedCause, number>> & { step?: number | null }

type FailedData = AboutMessage &
  (
    | { cause: 'refused'; step: number | null; to: string; answer: string }
    | { cause: 'unanswered'; step: number | null; to: string }
    | { cause: 'bounced'; to: string; answer: string | null }
    | { cause: 'undelivered'; to: string; code: string | null }
    /** The first of `count` messages with one text. */
    | { cause: 'unrenderable'; step: number | null; count: number }
  )

/** Stored data by type. No message bodies, secrets or IP addresses. */
export type NotificationData = {
  cart_abandoned: (AboutCart & { itemCount: number }) | GatheredCarts
  cart_recovered: AboutCart | GatheredCarts
  stage_failed: {
    stage: Stage
    cause: string
    /** ISO 8601. */
    since: string
    waiting: number
    /** The error text of the store or mail server. */
    detail: string | null
    alarmId: string
  }
  stage_resumed: { stage: Stage; lastedMs: number; alarmId: string }
  /** More new contacts than usual in an hour. */
  capture_flood: { ceiling: number }
  domain_throttled: { domain: string; kind: 'blocked' | 'deferred'; since: string; answer: string }
  domain_reopened: { domain: string }
  /** A store was connected, or a test message was sent (decision 130). `test` marks it on screen. */
  connection_test: { test: true; channel: 'store' | Channel; to: string }
  /** `isUntested`: only its plugin has called; whether Recoup can read the shop is not known yet. */
  store_connected: { url: string; isUntested?: true }
  /** The store rejects requests for a reason that only its owner can fix, such as its keys. */
  store_check_failed: { code: string; detail: string | null; about?: 'coupons' | 'unpaid orders' }
  /** The shop has revoked our access. */
  store_uninstalled: { url: string }
  /** A person asked the shop for a copy of their data (C8). `who`: masked; `customerId`: in the shop. */
  privacy_asked: { who: string; customerId: string | null }
  /** A push service rejects the store's signature (P1). */
  push_refused: { answer: string }
  /** A recipient reported a message as spam. */
  complaint_failed: (AboutMessage & { to: string }) | NotificationSummary
  campaign_paused: { campaignId: string; name: string } & (
    | { cause: 'bounces' | 'complaints'; count: number; accepted: number }
    /** The plan or an overdue payment does not allow a due run, or its text to chosen customers mentions a cart. */
    | { cause: 'plan' | 'payment' | 'cart_words' }
  )
  /** Delayed by the custom text limit of a young account; `nextTry`: ISO 8601. */
  campaign_postponed: { campaignId: string; name: string; nextTry: string }
  /** An import of consents. */
  import_finished: { importId: string; fileName: string; rows: number; added: number; refused: number }
  /**
   * An import by an earlier version that may have read an opt-out as an opt-in. Written by the migration that found it.
   */
  import_doubted: { importId: string; fileName: string; rows: number; doubt: ImportDoubt }
  /** Once a month; `renewsAt`: when the plan or the budget renews, ISO 8601. */
  plan_limit: { channel: Channel; renewsAt: string | null }
  /** Once a month, unless the plan's volume is used up by then. */
  plan_near_limit: { channel: Channel; used: number; limit: number; renewsAt: string }
  /** By an operator of this server (decision 90); `support`: the contact address. */
  account_suspended: { reason: string; support: string }
  account_resumed: Record<string, never>
} & TextNotices &
  BillingNotices &
  Record<`${Channel}_sent`, SentData | (NotificationSummary & { isInMailbox: boolean })> &
  Record<`${Channel}_failed`, FailedData | GatheredFailures>

export type NotificationType = keyof NotificationData

/** Shown for the whole account, independent of the selected store. */
export type AccountNotificationType =
  | 'domain_throttled'
  | 'domain_reopened'
  | 'plan_limit'
  | 'plan_near_limit'
  | 'account_suspended'
  | 'account_resumed'
  | Exclude<keyof TextNotices, 'question_flood'>
  | keyof BillingNotices
export type StoreNotificationType = Exclude<NotificationType, AccountNotificationType>

export interface NotificationText {
  title: string
  message: string
}

type Catalogue = { [Type in NotificationType]: (data: NotificationData[Type], createdAt: Date) => NotificationText }

const catalogue: Catalogue = {
  cart_abandoned: (data) =>
    isSummary(data)
      ? getCartsText(data, 'abandoned')
      : {
          title: 'Cart abandoned',
          message: `${data.customer} abandoned a cart with ${data.itemCount} ${data.itemCount === 1 ? 'item' : 'items'}.`,
        },
  cart_recovered: (data) =>
    isSummary(data)
      ? getCartsText(data, 'recovered')
      : { title: 'Cart recovered', message: `${data.customer} came back and bought.` },
  email_sent: (data) => getSentText('email', data),
  sms_sent: (data) => getSentText('sms', data),
  whatsapp_sent: (data) => getSentText('whatsapp', data),
  push_sent: (data) => getSentText('push', data),
  email_failed: (data) => getFailedText('email', data),
  sms_failed: (data) => getFailedText('sms', data),
  whatsapp_failed: (data) => getFailedText('whatsapp', data),
  push_failed: (data) => getFailedText('push', data),
  stage_failed: (data, createdAt) =>
    getStoppedText({ ...data, silent: formatDuration(createdAt.getTime() - Date.parse(data.since)) }),
  stage_resumed: ({ stage, lastedMs }) => getResumedText(stage, lastedMs),
  capture_flood: ({ ceiling }) => ({
    title: 'Unusually many new contacts',
    message: `Your shop had more than ${ceiling} new contacts within an hour. All carts are recorded. Further contacts of this hour get no messages until an order or draft order confirms them.`,
  }),
  domain_throttled: ({ domain, kind, answer }) => ({
    title: `${domain} ${kind === 'blocked' ? 'is refusing your email' : 'is delaying your email'}`,
    message: `For more than two hours. Messages wait and are retried one at a time. Its answer: ${answer}`,
  }),
  domain_reopened: ({ domain }) => ({
    title: `${domain} accepts your email again`,
    message: 'Waiting messages are sent now, unless they have expired.',
  }),
  connection_test: ({ channel, to }) =>
    channel === 'store'
      ? { title: 'The store is connected', message: `The connection to ${to} works.` }
      : { title: 'Test sent', message: `A test ${channelCopy[channel].word} was sent to ${to}.` },
  store_connected: ({ url, isUntested }) => ({
    title: 'Store connected',
    message: isUntested
      ? `${url} is connected by its plugin. Recoup now tries to read the shop itself; Settings → Store shows the result.`
      : `${url} is connected. Its orders and products are being read.`,
  }),
  store_check_failed: ({ code, detail, about }) => {
    if (about === 'unpaid orders')
      return {
        title: 'Unpaid orders take too long to read',
        message:
          'The store did not list its unpaid orders in time. A shopper who has just ordered without paying may get a reminder.',
      }
    return about === 'coupons'
      ? {
          title: 'The store refuses coupon codes',
          message: `${getCouponProblemText(code, detail)} Messages with a personal coupon code wait for it until they expire. Everything else is sent as usual.`,
        }
      : {
          title: 'The store refuses the order check',
          message: `${getProblemText(code, detail)} Reminders wait for an up-to-date order check, up to 24 hours past their time.`,
        }
  },
  store_uninstalled: ({ url }) => ({
    title: 'Store disconnected by the shop',
    message: `Recoup was uninstalled or disconnected in ${url}. Nothing more is sent. Connect it again within 30 days to keep its data.`,
  }),
  privacy_asked: ({ who, customerId }) => ({
    title: 'A shopper asked for their data',
    message: `${who}${customerId ? ` (customer ${customerId} of the shop)` : ''} asked for a copy of their data. Find their address under Settings, Consent, export the data, and send it to them within 30 days.`,
  }),
  push_refused: ({ answer }) => ({
    title: 'A push service refuses your notifications',
    message: `It does not accept the store’s key: ${answer} Notifications wait and are retried. If this continues, generate new VAPID keys.`,
  }),
  complaint_failed: (data) =>
    isSummary(data)
      ? {
          title: `${formatFigure(data.count)} emails were reported as spam`,
          message: `Within ${formatSpan(data)}. These shoppers get no more messages. Check your texts and your audience.`,
        }
      : { title: 'An email was reported as spam', message: `${data.to} reported it. They get no more messages.` },
  campaign_paused: (data) => ({ title: `The campaign “${data.name}” was paused`, message: getPausedText(data) }),
  campaign_postponed: ({ name }) => ({
    title: `A run of the campaign “${name}” was postponed`,
    message:
      'New accounts have a limit on emails with custom text in 24 hours. The run is retried automatically. With the default text it can start now.',
  }),
  import_doubted: ({ fileName, doubt }) => ({
    title: 'Please check an earlier import of consents',
    message: `${fileName}: ${
      doubt === 'no_column'
        ? 'no column says who opted in, so all rows were imported as opt-ins.'
        : 'the opt-in column means the opposite, so people who opted out may have been imported as opted in.'
    } No one is contacted because of this import until you keep or undo it.`,
  }),
  import_finished: ({ fileName, rows, added, refused }) => ({
    title: 'Consents imported',
    message: `${fileName}: ${added} of ${rows} ${rows === 1 ? 'row was' : 'rows were'} new, ${refused} could not be used.`,
  }),
  plan_limit: ({ channel }) => ({
    title: `Your plan’s ${formatMany(channel, 2).slice(2)} for this month are used up`,
    message: `Further messages wait for a larger plan or the next month${channel === 'sms' ? ', unless credits pay for them' : ''}. Expired messages are not sent.`,
  }),
  plan_near_limit: ({ channel, used, limit }) => ({
    title: `Your plan’s ${formatMany(channel, 2).slice(2)} for this month are nearly used up`,
    message: `${formatFigure(used)} of ${formatFigure(limit)} used. After that, messages wait for a larger plan or the next month. Expired messages are not sent.`,
  }),
  account_suspended: ({ reason, support }) => ({
    title: 'Sending is suspended',
    message: `The operator of this server has suspended all sending of your account: ${reason} Your data is kept, and messages wait. Contact ${support}.`,
  }),
  account_resumed: () => ({
    title: 'Sending has resumed',
    message: 'Your account can send again. Waiting messages are sent, unless they have expired.',
  }),
  ...textNoticeTexts,
  ...billingNoticeTexts,
}

export const notificationTypes = Object.keys(catalogue) as NotificationType[]

export interface StoredNotification<Type extends NotificationType = NotificationType> {
  type: Type
  data: NotificationData[Type]
  createdAt: Date
}

export function getNotificationText<Type extends NotificationType>({
  type,
  data,
  createdAt,
}: StoredNotification<Type>): NotificationText {
  return catalogue[type](data, createdAt)
}

const nameMessage = (channel: Channel, step: number | null): string =>
  step === null ? `The ${channelCopy[channel].word}` : `Reminder ${step}`

/** Without the value: several currencies do not fit into the sentence, and the detail view lists it. */
const getCartsText = (data: GatheredCarts, what: 'abandoned' | 'recovered'): NotificationText => ({
  title: `${formatFigure(data.count)} carts ${what}`,
  message: `${formatFigure(data.count)} shoppers ${what === 'abandoned' ? 'abandoned a cart' : 'came back and bought'} within ${formatSpan(data)}.`,
})

/** Clock times depend on the reader's time zone, so the detail view shows them. */
function formatSpan({ since, until }: NotificationSummary): string {
  const hours = Math.ceil((Date.parse(until) - Date.parse(since)) / 3_600_000)
  return hours <= 1 ? 'an hour' : `${hours} hours`
}

function getPausedText(data: NotificationData['campaign_paused']): string {
  if (!('count' in data)) return withheldTexts[data.cause]
  const share = `${formatFigure(data.count)} of its ${formatFigure(data.accepted)} messages`
  return data.cause === 'bounces'
    ? `${share} bounced, which is more than 5%. Check where the addresses come from before you resume it.`
    : `${share} were reported as spam, which is more than 0.3%. Check the text and the audience before you resume it.`
}

const withheldTexts = {
  plan: 'A run did not start because your plan no longer includes it. Upgrade, then resume the campaign with Play.',
  payment: 'A run did not start because your last payment is overdue. Pay it, then resume the campaign with Play.',
  cart_words:
    'A run did not start because its text mentions a cart and some customers have none. Change its text or template, then resume the campaign with Play.',
} as const

const formatFigure = (count: number) => count.toLocaleString('en-US')
const formatMany = (channel: Channel, count: number) =>
  `${formatFigure(count)} ${channelCopy[channel].word === 'SMS' ? 'SMS' : `${channelCopy[channel].word}s`}`

function getSentText(channel: Channel, data: NotificationData['email_sent']): NotificationText {
  const { word } = channelCopy[channel]
  if (isSummary(data)) {
    return data.isInMailbox
      ? {
          title: `${formatMany(channel, data.count)} kept on this server`,
          message: 'They are in the mailbox on this server.',
        }
      : { title: `${formatMany(channel, data.count)} sent`, message: `Sent to shoppers within ${formatSpan(data)}.` }
  }
  const { step, to, isInMailbox } = data
  const about = `${nameMessage(channel, step)} to ${to}`
  return isInMailbox
    ? { title: `Recovery ${word} kept on this server`, message: `${about} is in the mailbox on this server.` }
    : { title: `Recovery ${word} sent`, message: `${nameMessage(channel, step)} was sent to ${to}.` }
}

const describeCause = (provider: string) =>
  ({
    bounced: (count) => `${formatFigure(count)} bounced`,
    refused: (count) => `${formatFigure(count)} ${count === 1 ? 'was' : 'were'} refused by the ${provider}`,
    undelivered: (count) => `${formatFigure(count)} could not be delivered by the ${provider}`,
    unanswered: (count) => `${formatFigure(count)} got no answer from the ${provider}`,
  }) satisfies Partial<Record<FailedCause, (count: number) => string>>

function getFailuresText(channel: Channel, data: GatheredFailures): NotificationText {
  if (data.unrenderable) return getUnrenderableText({ step: data.step ?? null, count: data.count })
  const causeTexts = describeCause(channelCopy[channel].provider)
  const parts = (Object.keys(causeTexts) as (keyof typeof causeTexts)[]).flatMap((cause) => {
    const count = data[cause]
    return count ? [causeTexts[cause](count)] : []
  })
  return {
    title: `${formatMany(channel, data.count)} not delivered`,
    message: `Within ${formatSpan(data)}: ${parts.join(', ')}.`,
  }
}

function getFailedText(channel: Channel, data: NotificationData['email_failed']): NotificationText {
  const { word, provider } = channelCopy[channel]
  if (isSummary(data)) return getFailuresText(channel, data)
  const title = `Recovery ${word} not delivered`
  switch (data.cause) {
    case 'refused':
      return { title, message: `${nameMessage(channel, data.step)} to ${data.to}: ${data.answer}` }
    case 'unanswered':
      return { title, message: `${nameMessage(channel, data.step)} to ${data.to}: no answer from the ${provider}` }
    case 'bounced':
      return { title, message: `The ${word} to ${data.to} bounced${data.answer ? `: ${data.answer}` : '.'}` }
    case 'undelivered': {
      const code = data.code ? ` (${provider} code ${data.code})` : ''
      return { title, message: `The ${word} to ${data.to} was not delivered${code}.` }
    }
    case 'unrenderable':
      return getUnrenderableText(data)
  }
}

function getUnrenderableText({ step, count }: { step: number | null; count: number }): NotificationText {
  const messages = count === 1 ? 'A message was' : `${formatFigure(count)} messages were`
  const where = step === null ? 'The text written for it' : `The text of reminder ${step}`
  return {
    title: `${messages} not sent: the text cannot be rendered`,
    message: `${where} took too long to render, twice. It is not retried. Simplify the text and send it again.`,
  }
}
