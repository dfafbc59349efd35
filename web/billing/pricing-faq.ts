import { EXTRA_STORE_MONTHLY, GRACE_DAYS, GUARANTEE_DAYS, TRIAL_DAYS } from '../../shared/billing.ts'
import { billingTexts } from '../../shared/billing-texts.ts'

// FAQ of Pricing. Every answer restates a billing rule (docs/rules/billing.md): change the rule first.

export const pricingQuestions = [
  {
    question: 'How does the free trial work?',
    answer: `A paid plan begins with ${TRIAL_DAYS} days free of charge, once per account, person and card. No credit card required. Add one before the trial ends to keep the plan; without one the account goes to Lite, and its data is kept.`,
  },
  {
    question: 'What if it is not for me?',
    answer: `There is a ${GUARANTEE_DAYS}-day money-back guarantee: write to support within ${GUARANTEE_DAYS} days of your first payment, and you get it back.`,
  },
  {
    question: 'Can I change or cancel my plan?',
    answer:
      'Yes, at any time, under Billing. A larger plan begins at once, and you see what it costs before you confirm. A smaller plan, or a cancellation, takes effect at the end of the period you have paid for.',
  },
  {
    question: 'What happens when I reach a limit?',
    answer: billingTexts.atLimit,
  },
  {
    question: 'What if a payment fails?',
    answer: `You are told at once, and the card is tried again. Sending goes on for ${GRACE_DAYS} days. Then messages are held until the payment is made. Your data is kept.`,
  },
  {
    question: 'What does paying by the year save?',
    answer: `20 percent of the plan’s price, rounded to whole dollars a month. An extra store costs the same: $${EXTRA_STORE_MONTHLY * 12} per year.`,
  },
] as const
