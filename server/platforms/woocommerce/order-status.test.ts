import { expect, test } from 'vitest'
import { readOrder, readStatus } from './wire.ts'

// S4: which orders end a cart, and whose amount counts. `paid`: WooCommerce has a payment date.

const UNPAID = false
const PAID = true

test.each([
  // WooCommerce's own statuses.
  ['checkout-draft', UNPAID, 'draft', 'none'],
  ['auto-draft', UNPAID, 'draft', 'none'],
  ['pending', UNPAID, 'pending', 'none'],
  ['failed', UNPAID, 'failed', 'none'],
  ['cancelled', UNPAID, 'cancelled', 'none'],
  ['cancelled', PAID, 'cancelled', 'none'],
  ['trash', PAID, 'trashed', 'none'],
  // Cash on delivery, then bank transfer, then immediate payment.
  ['processing', UNPAID, 'purchase', 'counts'],
  ['on-hold', UNPAID, 'purchase', 'counts'],
  ['processing', PAID, 'purchase', 'counts'],
  ['completed', PAID, 'purchase', 'counts'],
  ['completed', UNPAID, 'purchase', 'counts'],
  ['refunded', PAID, 'purchase', 'none'],
  // Custom statuses: all end the cart.
  ['shipped', PAID, 'purchase', 'counts'],
  ['awaiting-pickup', PAID, 'purchase', 'counts'],
  ['shipped', UNPAID, 'purchase', 'if_counted'],
  ['phone-confirmed', UNPAID, 'purchase', 'if_counted'],
  ['awaiting-payment', UNPAID, 'purchase', 'if_counted'],
  ['partial-payment', UNPAID, 'purchase', 'if_counted'],
  ['ywraq-new', UNPAID, 'purchase', 'if_counted'],
  ['quote-request', UNPAID, 'purchase', 'if_counted'],
  ['自取', UNPAID, 'purchase', 'if_counted'],
  ['export-ready', PAID, 'purchase', 'counts'],
  ['returned', PAID, 'purchase', 'none'],
  ['retoure', PAID, 'purchase', 'none'],
  ['rto', UNPAID, 'purchase', 'none'],
  ['cod-rto-done', UNPAID, 'purchase', 'none'],
  ['cod-unpaid', UNPAID, 'purchase', 'if_counted'],
  ['unbezahlt', UNPAID, 'purchase', 'if_counted'],
  ['impaye', UNPAID, 'purchase', 'if_counted'],
  ['not-paid', UNPAID, 'purchase', 'if_counted'],
  // Parts of an order, or undecided.
  ['partial-refunded', PAID, 'purchase', 'counts'],
  ['partial-return', UNPAID, 'purchase', 'if_counted'],
  ['teilretoure', UNPAID, 'purchase', 'if_counted'],
  ['partial-refund-ok', PAID, 'purchase', 'counts'],
  ['return-request', UNPAID, 'purchase', 'if_counted'],
  ['refund-request', PAID, 'purchase', 'counts'],
  ['return-req', PAID, 'purchase', 'counts'],
  ['demande-rembours', PAID, 'purchase', 'counts'],
  ['solicitud-devol', PAID, 'purchase', 'counts'],
  ['retour-aangevr', PAID, 'purchase', 'counts'],
  ['retoure-beantragt', PAID, 'purchase', 'counts'],
  ['return-cancelled', PAID, 'purchase', 'counts'],
  ['refund-cancelled', PAID, 'purchase', 'counts'],
  ['refund-denied', PAID, 'purchase', 'counts'],
  ['return-rejected', PAID, 'purchase', 'counts'],
  ['return-rejected', UNPAID, 'purchase', 'if_counted'],
  ['retour-abgelehnt', PAID, 'purchase', 'counts'],
  ['cancel-refused', PAID, 'purchase', 'counts'],
  ['dispute-won', PAID, 'purchase', 'counts'],
  ['fraud-check', PAID, 'purchase', 'counts'],
  ['fraud-review', UNPAID, 'purchase', 'if_counted'],
  ['awaiting-return', PAID, 'purchase', 'counts'],
  ['refund-pending', PAID, 'purchase', 'counts'],
  ['returned-refused', PAID, 'purchase', 'none'],
  ['cancelled-refund', PAID, 'purchase', 'none'],
  ['cancel-request', PAID, 'purchase', 'counts'],
  ['cancel-req-done', PAID, 'purchase', 'none'],
  ['rto-request-done', UNPAID, 'purchase', 'none'],
  ['retoure-genehmigt', PAID, 'purchase', 'none'],
  ['refund-approved', PAID, 'purchase', 'none'],
  ['refunded-manually', PAID, 'purchase', 'none'],
  ['rueckerstattet', PAID, 'purchase', 'none'],
  ['rembourse', PAID, 'purchase', 'none'],
  ['reembolsado', PAID, 'purchase', 'none'],
  ['rimborsato', PAID, 'purchase', 'none'],
  ['zwrocono', PAID, 'purchase', 'none'],
  ['estornado', PAID, 'purchase', 'none'],
  ['terugbetaald', PAID, 'purchase', 'none'],
  ['Cancelled-by-shop', PAID, 'purchase', 'none'],
  ['storniert', UNPAID, 'purchase', 'none'],
  ['refused-at-door', UNPAID, 'purchase', 'none'],
  ['ywraq-rejected', UNPAID, 'purchase', 'none'],
  ['chargeback', PAID, 'purchase', 'none'],
  ['fraud', PAID, 'purchase', 'none'],
  ['payment-failed', UNPAID, 'purchase', 'none'],
] as const)('reads the status %s (paid: %s)', (status, isPaid, kind, amount) => {
  expect(readStatus(status, isPaid)).toEqual({ kind, amount })
})

test('reads prefix and payment of an order', () => {
  const read = (more: object) => {
    const reading = readOrder({
      id: 1,
      currency: 'USD',
      total: '9.00',
      date_modified_gmt: '2026-11-01T10:00:00',
      ...more,
    })
    return 'row' in reading && [reading.row.kind, reading.row.amount]
  }
  expect(read({ status: 'wc-packed' })).toEqual(['purchase', 'if_counted'])
  expect(read({ status: 'wc-packed', date_paid_gmt: '2026-11-01T10:00:00' })).toEqual(['purchase', undefined])
  expect(read({ status: 'processing' })).toEqual(['purchase', undefined])
  expect(read({ status: 'wc-returned', date_paid_gmt: '2026-11-01T10:00:00' })).toEqual(['purchase', 'none'])
})
