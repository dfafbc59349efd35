import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeCreditPrice } from '../../../shared/billing/credits.ts'
import { type CreditPayment, computeSettlement, type SettledPayment } from './rules.ts'

// Ledger entries after any sequence of payments, uses, refunds and chargebacks.

test('the balance is never negative, and no more is taken than was bought', () => {
  const step = fc.oneof(
    fc.record({
      look: fc.array(fc.record({ share: fc.nat(100), isPaid: fc.boolean() }), { minLength: 3, maxLength: 3 }),
    }),
    fc.record({ use: fc.integer({ min: 1, max: 40_000_000 }) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const grants = [10_000_000, 25_000_000, 100_000_000]
      const paid = [false, false, false]
      const ledger = { balance: 0, used: 0, bought: 0, settled: new Map<string, SettledPayment>() }
      for (const each of steps) {
        if ('use' in each) {
          const used = each.use <= ledger.balance ? each.use : 0
          ledger.balance -= used
          ledger.used += used
          continue
        }
        const payments = grants.map((grant, n): CreditPayment => {
          paid[n] ||= each.look[n]!.isPaid
          const granted = paid[n] ? grant : 0
          return { paymentId: `pi_${n}`, granted, returned: (granted / 100) * each.look[n]!.share }
        })
        for (const draft of computeSettlement(payments, [...ledger.settled.values()], ledger.balance)) {
          const paymentId = draft.paymentId!
          const known = ledger.settled.get(paymentId) ?? { paymentId, isGranted: false, taken: 0, owed: 0 }
          if (draft.kind === 'purchase') {
            expect(known.isGranted).toBe(false)
            known.isGranted = true
            ledger.bought += draft.micros
          } else {
            known.taken -= draft.micros
            known.owed += draft.owed!
          }
          ledger.balance += draft.micros
          ledger.settled.set(paymentId, known)
          expect(ledger.balance).toBeGreaterThanOrEqual(0)
          expect(known.owed).toBeGreaterThanOrEqual(0)
          expect(known.taken).toBeGreaterThanOrEqual(0)
        }
        // If the ledger matches the payments, nothing changes.
        expect(computeSettlement(payments, [...ledger.settled.values()], ledger.balance)).toEqual([])
        for (const { paymentId, returned } of payments) {
          const known = ledger.settled.get(paymentId)
          expect((known?.taken ?? 0) + (known?.owed ?? 0)).toBe(returned)
        }
      }
      expect(ledger.used).toBeLessThanOrEqual(ledger.bought)
    }),
  )
})

test('an SMS costs the list price times the factor, rounded up to a millionth', () => {
  expect(computeCreditPrice(12_000, 1_500)).toBe(18_000)
  expect(computeCreditPrice(12_000, 1_000)).toBe(12_000)
  expect(computeCreditPrice(113_001, 1_333)).toBe(150_631)
  expect(computeCreditPrice(1, 1_500)).toBe(2)
})
