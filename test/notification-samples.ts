import type { NotificationData } from '../shared/workspace/notifications.ts'

export const SAMPLED_AT = new Date('2026-03-10T12:00:00Z')
const cart = { cartId: 'c', customer: 'Ada', value: 5_000, currency: 'USD', timestamp: SAMPLED_AT.toISOString() }
const message = { cartId: 'c', messageId: 'm' }
const sent = { ...message, step: 1, to: 'ada@example.com', isInMailbox: false }
const refused = { ...message, step: null, to: 'ada@example.com', cause: 'refused' as const, answer: '550 no such user' }
const plan = { plan: 'starter' as const, amount: 1_900, currency: 'USD', cycle: 'month' as const }
/** Sample data for each type. */
export const sampleNotifications: NotificationData = {
  cart_abandoned: { ...cart, itemCount: 1 },
  cart_recovered: cart,
  email_sent: sent,
  sms_sent: sent,
  whatsapp_sent: sent,
  push_sent: sent,
  email_failed: refused,
  sms_failed: refused,
  whatsapp_failed: refused,
  push_failed: refused,
  stage_failed: {
    stage: 'sync',
    cause: 'timeout',
    since: '2026-03-10T11:00:00Z',
    waiting: 0,
    detail: 'no answer',
    alarmId: 'a',
  },
  stage_resumed: { stage: 'sync', lastedMs: 3_600_000, alarmId: 'a' },
  capture_flood: { ceiling: 70 },
  question_flood: { points: 10, per: 'hour' },
  domain_throttled: {
    domain: 'strict.example',
    kind: 'deferred',
    since: SAMPLED_AT.toISOString(),
    answer: '451 later',
  },
  domain_reopened: { domain: 'strict.example' },
  connection_test: { test: true, channel: 'store', to: 'https://shop.example' },
  store_connected: { url: 'https://shop.example' },
  store_check_failed: { code: 'wrong_key', detail: null },
  store_uninstalled: { url: 'https://shop.example.com' },
  privacy_asked: { who: 'j•••@mail.example.org', customerId: '7' },
  push_refused: { answer: '403 signed with another key' },
  complaint_failed: { ...message, to: 'ada@example.com' },
  campaign_paused: { campaignId: 'g', name: 'Spring', cause: 'bounces', count: 12, accepted: 210 },
  campaign_postponed: { campaignId: 'g', name: 'Spring', nextTry: '2026-03-11T12:00:00Z' },
  import_doubted: { importId: 'i', fileName: 'consents.csv', rows: 3, doubt: 'no_heading' },
  import_finished: { importId: 'i', fileName: 'consents.csv', rows: 3, added: 2, refused: 1 },
  plan_limit: { channel: 'email', renewsAt: null },
  plan_near_limit: { channel: 'email', used: 4_000, limit: 5_000, renewsAt: '2026-04-01T00:00:00.000Z' },
  budget_reached: { renewsAt: null },
  budget_set: { monthly: 50 },
  credits_low: { balanceMicros: 4_250_000, weekMicros: 6_000_000 },
  credits_empty: { balanceMicros: 12_000 },
  account_suspended: { reason: 'Bought addresses.', support: 'support@example.com' },
  account_resumed: {},
  trial_ending: { ...plan, endsAt: '2026-03-13T12:00:00.000Z', hasCard: false },
  trial_ended: { ...plan, goesOn: true },
  trial_refused: { ...plan, by: 'card' },
  payment_failed: {
    amount: 1_900,
    currency: 'USD',
    reason: 'Your card was declined.',
    nextTry: '2026-03-13T12:00:00.000Z',
    holdsAt: '2026-03-17T12:00:00.000Z',
  },
  payment_recovered: { plan: 'starter' },
  plan_changed: { ...plan, change: 'planned', extraStores: 1, at: '2026-04-10T12:00:00.000Z' },
}
