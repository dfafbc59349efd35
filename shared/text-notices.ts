// Notifications about the cost of SMS and WhatsApp: their data and English text. Pure.

export interface TextNotices {
  /** More numbers without an order wait for the SMS confirmation of consent than a store may ask per hour or day. */
  question_flood: { points: number; per: 'hour' | 'day' }
  budget_reached: { renewsAt: string | null }
  /** A budget was set for an account without one; in dollars. Written by the migration that set it. */
  budget_set: { monthly: number }
  /** Once until credits are added again; millionths of a dollar. */
  credits_low: { balanceMicros: number; weekMicros: number }
  credits_empty: { balanceMicros: number }
}

const dollars = (micros: number) => `$${(Math.floor(micros / 10_000) / 100).toFixed(2)}`

export const textNoticeTexts: {
  [Type in keyof TextNotices]: (data: TextNotices[Type]) => { title: string; message: string }
} = {
  question_flood: ({ points, per }) => ({
    title: 'Unusually many opt-ins to SMS',
    message: `More than ${points} phone numbers without an order opted in to SMS within ${per === 'hour' ? 'an hour' : 'a day'}. Somebody may be entering numbers that are not theirs to run up costs. The others are asked to confirm later, or not at all after 24 hours. Numbers from orders are asked as usual.`,
  }),
  budget_reached: () => ({
    title: 'Your budget for SMS and WhatsApp is used up',
    message:
      'Further messages wait for a larger budget or the next month. Those that are too late by then are not sent.',
  }),
  budget_set: ({ monthly }) => ({
    title: 'Your SMS and WhatsApp messages have a monthly budget now',
    message: `It is $${monthly.toLocaleString('en-US')}, twice your most expensive month so far and no less than $50. When it is used up, messages wait for the next month. You can change it or remove it.`,
  }),
  credits_low: ({ balanceMicros, weekMicros }) => ({
    title: 'Your SMS credits are running low',
    message: `${dollars(balanceMicros)} are left, and the last seven days took ${dollars(weekMicros)}. When they are used up, further SMS wait for the next month, a larger plan or more credits.`,
  }),
  credits_empty: ({ balanceMicros }) => ({
    title: 'Your SMS credits are used up',
    message: `${dollars(balanceMicros)} are left, which pay for no more SMS like the last one. Further SMS wait for the next month, a larger plan or more credits.`,
  }),
}
