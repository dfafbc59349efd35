import { z } from 'zod'
import type { FlowChannel, FlowConditions } from '../carts/flow-conditions.ts'

// Templates for new flows (decision 56).

export const LibraryKey = z.enum(['ready_email', 'email_sms', 'high_value', 'win_back', 'last_discount'])
export type LibraryKey = z.infer<typeof LibraryKey>

/** A requirement of an entry. */
export type LibraryNeed = 'mail' | 'sms' | 'rules' | 'coupon'

export interface LibraryEntry {
  key: LibraryKey
  name: string
  explanation: string
  /** The requirements as sentences. */
  asks: string[]
  needs: LibraryNeed[]
  conditions: FlowConditions | null
  steps: {
    delayMinutes: number
    channels: FlowChannel[]
    /** The ready template that its mail starts from. */
    template: 'first_reminder' | 'second_reminder' | 'last_reminder'
    hasCoupon?: boolean
  }[]
}

const HOUR = 60
const DAY = 24 * HOUR
const ASKS_MAIL = 'A mail server, your sender name and your postal address.'
const ASKS_PLAN = 'The Starter plan or a larger one.'

const buildSingleCondition = (condition: FlowConditions['groups'][number]['conditions'][number]): FlowConditions => ({
  match: 'all',
  groups: [{ match: 'all', conditions: [condition] }],
})

/** The three ready mails. */
const readyMails: LibraryEntry['steps'] = [
  { delayMinutes: HOUR, channels: ['email'], template: 'first_reminder' },
  { delayMinutes: DAY, channels: ['email'], template: 'second_reminder' },
  { delayMinutes: 3 * DAY, channels: ['email'], template: 'last_reminder' },
]

export const flowLibrary: readonly LibraryEntry[] = [
  {
    key: 'ready_email',
    name: 'Ready email flow',
    explanation: 'Three emails: one hour, one day and three days after abandonment.',
    asks: [ASKS_MAIL],
    needs: ['mail'],
    conditions: null,
    steps: readyMails,
  },
  {
    key: 'email_sms',
    name: 'Email, and SMS without an email',
    explanation: 'The same three times. Shoppers without an email address or email consent get an SMS instead.',
    asks: [ASKS_MAIL, 'SMS credentials, and the Growth plan.', 'Shoppers who have consented to SMS.'],
    needs: ['mail', 'sms'],
    conditions: null,
    steps: readyMails.map((step) => ({ ...step, channels: ['email', 'sms'] })),
  },
  {
    key: 'high_value',
    name: 'High-value carts',
    explanation:
      'For carts above 100, with earlier reminders: after 30 minutes, six hours and two days. Adjust the value to your store.',
    asks: [ASKS_PLAN, ASKS_MAIL, 'A position above your flow for all other carts.'],
    needs: ['rules', 'mail'],
    conditions: buildSingleCondition({ fact: 'value', is: 'above', amount: 100 }),
    steps: [
      { delayMinutes: 30, channels: ['email'], template: 'first_reminder' },
      { delayMinutes: 6 * HOUR, channels: ['email'], template: 'second_reminder' },
      { delayMinutes: 2 * DAY, channels: ['email'], template: 'last_reminder' },
    ],
  },
  {
    key: 'win_back',
    name: 'Win back returning customers',
    explanation: 'For shoppers who have bought before, with later reminders: after three hours and two days.',
    asks: [ASKS_PLAN, ASKS_MAIL, 'A position above your flow for all other carts.'],
    needs: ['rules', 'mail'],
    conditions: buildSingleCondition({ fact: 'buyer', is: 'returning' }),
    steps: [
      { delayMinutes: 3 * HOUR, channels: ['email'], template: 'first_reminder' },
      { delayMinutes: 2 * DAY, channels: ['email'], template: 'last_reminder' },
    ],
  },
  {
    key: 'last_discount',
    name: 'Discount on the last step',
    explanation: 'Two reminders without a discount, then one with a coupon for shoppers who still have not bought.',
    asks: [ASKS_MAIL, 'A coupon for the last step.'],
    needs: ['mail', 'coupon'],
    conditions: null,
    steps: readyMails.map((step, index) => (index === 2 ? { ...step, hasCoupon: true } : step)),
  },
]
