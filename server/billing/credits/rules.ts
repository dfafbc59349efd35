import type { CreditKind } from '../../../shared/billing/credits.ts'

// Computes ledger entries. Pure.

/** An entry before it is appended. `owed`: the part of a refund that had been used already. */
export interface EntryDraft {
  kind: CreditKind
  micros: number
  owed?: number
  paymentId?: string
  messageId?: string
  note?: string
}

/** State of a credits payment at Stripe. */
export interface CreditPayment {
  paymentId: string
  /** Amount that it grants; 0 until it is paid. */
  granted: number
  /** Amount refunded or charged back. */
  returned: number
}

/** Ledger state of a payment: whether it was granted, and how much of its refunds was taken back or already used. */
export interface SettledPayment {
  paymentId: string
  isGranted: boolean
  taken: number
  owed: number
}

/** Entries that lead from the ledger's state to Stripe's. The balance never becomes negative. */
export function computeSettlement(
  payments: readonly CreditPayment[],
  settled: readonly SettledPayment[],
  balance: number,
): EntryDraft[] {
  const drafts: EntryDraft[] = []
  let remaining = balance
  const put = (draft: EntryDraft) => {
    drafts.push(draft)
    remaining += draft.micros
  }
  for (const { paymentId, granted, returned } of payments) {
    const known = settled.find((one) => one.paymentId === paymentId)
    if (!known?.isGranted && granted > 0) put({ kind: 'purchase', paymentId, micros: granted })
    if (!known?.isGranted && granted === 0) continue
    const { taken = 0, owed = 0 } = known ?? {}
    const more = returned - taken - owed
    if (more > 0) {
      const there = Math.min(more, remaining)
      put({ kind: 'refund', paymentId, micros: 0 - there, owed: more - there })
    }
    // The bank returned a payment: first, the owed part is forgiven.
    if (more < 0) {
      const forgiven = Math.min(-more, owed)
      put({ kind: 'refund', paymentId, micros: -more - forgiven, owed: 0 - forgiven })
    }
  }
  return drafts
}
