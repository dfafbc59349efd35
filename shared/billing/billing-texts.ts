// Texts on plans and payments, apart from `billing.ts`, which every screen loads.

/** A 2.6, 2.7, 2.12, 5 and 8. */
export const billingTexts = {
  demo: 'The demo’s plan cannot be changed.',
  completePurchase: 'Complete Your Purchase',
  manage: 'Manage Billing',
  viewHistory: 'View Payment History',
  hideHistory: 'Hide Payment History',
  scale: 'Ready to Scale?',
  viewPlans: 'View Plans',
  save: 'Save 20%',
  confirmCancel:
    'Are you sure you want to cancel your subscription? You will lose access at the end of your current billing period.',
  noBilling: 'This installation has no billing',
  /** Also used on Pricing, the landing page and in the terms (decision 87). */
  atLimit:
    'We notify you at 80% and 100%. At the limit, messages of that channel wait until the month renews, and expire if they are too old by then. You are never moved to another plan.',
  whiteLabel: 'Contact us for white-labeling.',
  pricedBy: 'You pay by messages sent, never by contacts.',
  /** Limits of docs/accounts.md, "Confirming an address". */
  youngAccounts:
    'New accounts start lower: 50 emails on the first day, 500 a day in the first week, 5,000 a day in the first month. This covers emails in your own words and first emails to people who never ordered. With your own mail server there is no such limit.',
  /** Of the first paid plan. */
  recommended: 'Recommended',
  recommendedReason: 'The smallest plan with several flows, A/B tests and scheduled campaigns.',
  failed: {
    createCheckout: 'Failed to create checkout session',
    processCheckout: 'Failed to process checkout',
    loadDetails: 'Failed to load subscription details',
    openPortal: 'Failed to open billing portal',
    reactivate: 'Failed to reactivate subscription',
    cancel: 'Failed to cancel subscription',
    loadStatus: 'Failed to load subscription status',
    loadHistory: 'Failed to load payment history',
  },
  none: {
    subscription: 'No subscription found',
    history: 'No payment history found',
    information: 'No subscription information available',
  },
} as const
