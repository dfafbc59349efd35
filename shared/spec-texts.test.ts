import { expect, test } from 'vitest'
import { authTexts } from './access/auth.ts'
import { storeTexts } from './access/stores.ts'
import { plans, SubscriptionStatus } from './billing/billing.ts'
import { billingTexts } from './billing/billing-texts.ts'
import { couponTexts } from './carts/coupons.ts'
import { reminderTexts } from './delivery/reminders.ts'
import { dashboardTexts } from './insights/dashboard.ts'
import { discountTexts } from './marketing/discount-mail.ts'

// Texts shared by server and browser match the specification (A 5, A 8, A 9, B 5, B 6, B 8).

test('sign-in texts match the specification (A 5, A 8)', { tags: ['A8'] }, () => {
  expect(authTexts).toMatchObject({
    passwordsDiffer: 'Passwords do not match',
    passwordShort: 'Password must be at least 6 characters long',
    invalidResetLink: 'Invalid reset link. Please request a new password reset.',
    loginFailed: 'Login failed. Please check your credentials.',
    registrationFailed: 'Registration failed. Please try again.',
    forgotFailed: 'Failed to send reset email. Please try again.',
    resetFailed: 'Failed to reset password. Please try again.',
    sessionExpired: 'Your session has expired. Please sign in again.',
  })
})

test('store texts match the specification (A 5, A 8)', () => {
  expect(storeTexts).toMatchObject({
    urlRequired: 'Store URL is required',
    keysRequired: 'Consumer key and secret are required for WooCommerce',
    tokenRequired: 'Access token is required for Shopify',
    connectFailed: 'Failed to connect to store. Please check your credentials and try again.',
    disconnectFailed: 'Failed to disconnect store. Please try again.',
  })
})

test('dashboard texts match the specification (A 8)', () => {
  expect(dashboardTexts).toEqual({
    unreachable: 'Store connection failed. Please check if your store is running and accessible.',
    unauthorized: 'Authentication failed. Please reconnect your store with valid credentials.',
    notFound: 'Store not found. Please connect your store first.',
    failed: 'Failed to fetch dashboard data. Please try again later.',
  })
})

test('plan prices and limits match the specification (A 9)', { tags: ['A3', 'A9'] }, () => {
  const rows = Object.entries(plans).map(([key, { name, priceMonthly, limits, features }]) => [
    key,
    name,
    priceMonthly,
    [limits.maxStores, limits.maxEmailsPerMonth, limits.maxSmsPerMonth, limits.maxWhatsappPerMonth],
    features.join(', '),
  ])
  expect(rows).toEqual([
    ['free', 'Lite', 0, [1, 500, 0, 0], 'Basic Analytics, Email Support'],
    [
      'starter',
      'Starter',
      19,
      [2, 5_000, 100, 100],
      'Advanced Analytics, Priority Support, Customer Segmentation, Scheduled Campaigns',
    ],
    [
      'growth',
      'Growth',
      49,
      [3, -1, 1_000, 1_000],
      'Multi-store Dashboard, ROI Tracking, Automated SMS/WhatsApp, Export Analytics, Premium Support',
    ],
  ])
  expect(SubscriptionStatus.options).toEqual(['active', 'trialing', 'past_due', 'canceled'])
})

test('plan and payment texts match the specification (A 2.6, A 2.7, A 2.12, A 5, A 8)', { tags: ['A8'] }, () => {
  expect(billingTexts).toMatchObject({
    completePurchase: 'Complete Your Purchase',
    manage: 'Manage Billing',
    viewHistory: 'View Payment History',
    hideHistory: 'Hide Payment History',
    scale: 'Ready to Scale?',
    viewPlans: 'View Plans',
    save: 'Save 20%',
    confirmCancel:
      'Are you sure you want to cancel your subscription? You will lose access at the end of your current billing period.',
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
  })
})

test('manual send texts match the specification (B 5, B 6, B 8)', () => {
  expect(reminderTexts).toMatchObject({
    noCarts: 'Please select at least one cart to send WhatsApp reminders.',
    badDate: 'Please select a valid date and time.',
    smsPlan: 'SMS feature requires Starter or Growth plan. Please upgrade to send SMS messages.',
    whatsappPlan: 'WhatsApp feature requires Starter plan or higher. Please upgrade to send WhatsApp messages.',
    emailSent: 'Email sent successfully!',
    emailScheduled: 'Email scheduled successfully!',
    smsSent: 'SMS sent successfully!',
    whatsappSent: 'WhatsApp message sent successfully!',
    subject: 'Complete Your Purchase',
  })
})

test('coupon texts match the specification (B 5, B 8)', () => {
  expect(couponTexts).toMatchObject({
    noCode: 'Coupon code is required',
    badCode: 'Coupon code can only contain uppercase letters, numbers, and hyphens',
    noAmount: 'Amount is required',
    badPercentage: 'Percentage must be between 1 and 100',
    badFixed: 'Fixed amount must be greater than 0',
    badMinSpend: 'Minimum spend must be greater than 0',
    badMaxDiscount: 'Maximum discount must be greater than 0',
    noStart: 'Start date is required',
    noEnd: 'End date is required',
    endBeforeStart: 'End date must be after start date',
    badUsageLimit: 'Usage limit must be greater than 0',
    badId: 'Invalid coupon ID',
    noStore: 'No store connected. Please connect your store to manage coupons.',
    noStoreToCreate: 'No store connected. Please connect your store to create coupons.',
    noStoreToUpdate: 'No store connected. Please connect your store to update coupons.',
    noStoreToDelete: 'No store connected. Please connect your store to delete coupons.',
    fetchFailed: 'Failed to fetch coupons (using fallback)',
    createFailed: 'Failed to create coupon',
    updateFailed: 'Failed to update coupon',
    deleteFailed: 'Failed to delete coupon',
  })
})

test('discount mail texts match the specification (B 5, B 8)', () => {
  expect(discountTexts).toMatchObject({
    noCustomers: 'Please select at least one customer.',
    sent: 'Discount emails sent successfully!',
    failed: 'Failed to send discount email.',
    noAbandoned: 'No abandoned carts found.',
    noneFound: 'No customers found. Please check your store connection.',
  })
})
