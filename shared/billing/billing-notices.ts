import { getCurrencyExponent } from '../core/money.ts'
import { type BillingCycle, type PlanKey, plans } from './billing.ts'

// Notifications about the subscription (decisions 84 to 86): their data and their English text. Pure.

/** The price of a period. */
export interface Price {
  /** Minor units of `currency`, before discounts and tax; null: unknown. */
  amount: number | null
  currency: string | null
  cycle: BillingCycle
}

type PaidPlan = Exclude<PlanKey, 'free'>
/** Instants are ISO 8601. */
interface Terms extends Price {
  plan: PaidPlan
  extraStores: number
  /** A trial without a card ends on the free plan unless a card is added. Older notifications lack the field. */
  needsCard?: boolean
}

export interface BillingNotices {
  trial_ending: Price & { plan: PaidPlan; endsAt: string; hasCard: boolean }
  trial_ended: Price & { plan: PaidPlan; goesOn: boolean }
  /** Another account has had a trial with the card, or with the address of an owner. */
  trial_refused: Price & { plan: PaidPlan; by: 'card' | 'email' }
  payment_failed: {
    amount: number | null
    currency: string | null
    reason: string | null
    nextTry: string | null
    /** When messages begin to be held for the payment. */
    holdsAt: string
  }
  payment_recovered: { plan: PaidPlan }
  plan_changed:
    | (Terms & { change: 'started' | 'changed' | 'kept'; trialEndsAt: string | null; renewsAt: string | null })
    | (Terms & { change: 'planned'; at: string })
    | { change: 'ending'; plan: PaidPlan; at: string | null }
    | { change: 'ended' | 'withdrawn'; plan: PaidPlan }
}

interface Text {
  title: string
  message: string
}

export const billingNoticeTexts: {
  [Type in keyof BillingNotices]: (data: BillingNotices[Type], createdAt: Date) => Text
} = {
  trial_ending: ({ plan, endsAt, hasCard, ...price }) => ({
    title: `Your ${plans[plan].name} trial ends on ${formatDay(endsAt)}`,
    message: hasCard
      ? `Your card is charged then: ${priceText(price)}. Cancel before that to pay nothing.`
      : `You have not added a card. Without one, your account moves to the ${plans.free.name} plan then. With one, the ${plans[plan].name} plan costs ${priceText(price)}.`,
  }),
  trial_ended: ({ plan, goesOn, ...price }) => ({
    title: `Your ${plans[plan].name} trial has ended`,
    message: goesOn
      ? `The plan continues and costs ${priceText(price)}.`
      : `Nothing was charged. Your account is on the ${plans.free.name} plan now.`,
  }),
  trial_refused: ({ plan, by, ...price }) => ({
    title: `Your ${plans[plan].name} trial has ended early`,
    message: `${refusedTexts[by]} The ${plans[plan].name} plan now costs ${priceText(price)}. Without a card, your account is on the ${plans.free.name} plan.`,
  }),
  payment_failed: ({ amount, currency, reason, nextTry, holdsAt }, createdAt) => ({
    title:
      amount === null || !currency
        ? 'A payment has failed'
        : `A payment of ${getMoneyText(amount, currency)} has failed`,
    message: [
      reason,
      nextTry && `The next attempt is on ${formatDay(nextTry)}.`,
      Date.parse(holdsAt) > createdAt.getTime()
        ? `Messages are sent until ${formatDay(holdsAt)}. After that they wait until it is paid.`
        : 'Messages wait until it is paid.',
      'Check your card under Billing.',
    ]
      .filter(Boolean)
      .join(' '),
  }),
  payment_recovered: ({ plan }) => ({
    title: 'Your payment was received',
    message: `Nothing is overdue, and the ${plans[plan].name} plan continues. Waiting messages are sent, unless they have expired.`,
  }),
  plan_changed: (data) => changeText(data),
}

const refusedTexts = {
  card: 'The card you added has been used for a trial of another account, and each card has one trial.',
  email: 'The email address of an owner has been used for a trial of another account, and each address has one trial.',
} as const

function changeText(data: BillingNotices['plan_changed']): Text {
  const { name } = plans[data.plan]
  switch (data.change) {
    case 'started':
    case 'changed':
      return {
        title: `Your plan is ${name} now${getStoresText(data)}`,
        message: `${startText(data)}${getRenewsText(data)}`,
      }
    case 'kept':
      return { title: `Your ${name} plan continues`, message: `${startText(data)}${getRenewsText(data)}` }
    case 'planned':
      return {
        title: `Your plan changes to ${name} on ${formatDay(data.at)}${getStoresText(data)}`,
        message: `Nothing changes until then. After that it costs ${getCostText(data)}`,
      }
    case 'ending':
      return {
        title: data.at
          ? `Your ${name} plan ends on ${formatDay(data.at)}`
          : `Your ${name} plan ends after the billing period`,
        message: `Nothing more is charged. After that your account is on the ${plans.free.name} plan. Until then you can reactivate the subscription under Billing.`,
      }
    case 'ended':
      return {
        title: `Your ${name} plan has ended`,
        message: `Your account is on the ${plans.free.name} plan now. You can choose a plan again at any time.`,
      }
    case 'withdrawn':
      return {
        title: `Your ${name} plan was canceled`,
        message:
          'The bank reversed a payment, or this server’s administrator ended the subscription. Contact support if this is a mistake.',
      }
  }
}

const startText = (data: Terms & { trialEndsAt: string | null }) =>
  data.trialEndsAt
    ? `The trial is free until ${formatDay(data.trialEndsAt)}. After that it costs ${getCostText(data)}`
    : `It costs ${getCostText(data)}`

/** The end of a sentence. */
const getCostText = (data: Terms) =>
  data.needsCard
    ? `${priceText(data)}, if you add a card. Without one your account is on the ${plans.free.name} plan then.`
    : `${priceText(data)}.`

const getRenewsText = ({ trialEndsAt, renewsAt }: { trialEndsAt: string | null; renewsAt: string | null }) =>
  renewsAt && !trialEndsAt ? ` It renews on ${formatDay(renewsAt)}.` : ''

const getStoresText = ({ extraStores }: Terms) =>
  extraStores === 0 ? '' : `, with ${extraStores} extra ${extraStores === 1 ? 'store' : 'stores'}`

const priceText = ({ amount, currency, cycle }: Price) =>
  amount === null || !currency
    ? `what Stripe charges per ${cycle}`
    : `${getMoneyText(amount, currency)} a ${cycle}, before discounts and tax`

function getMoneyText(amountMinor: number, currency: string): string {
  const digits = getCurrencyExponent(currency)
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency, minimumFractionDigits: digits })
  return format.format(amountMinor / 10 ** digits)
}

const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })
const formatDay = (instant: string) => day.format(new Date(instant))
