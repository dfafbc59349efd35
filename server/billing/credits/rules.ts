import type { CreditKind } from '../../../shared/credits.ts'

// What moves in the ledger. Pure.

/** An entry before it has its place: `owed` of a refund is what had been used already. */
export interface Draft {
  kind: CreditKind
  micros: number
  owed?: number
  paymentId?: string
  messageId?: string
  note?: string
}

/** A payment for credits as Stripe has it now. */
export interface CreditPayment {
  paymentId: string
  /** What it is good for; 0 while it is not paid. */
  granted: number
  /** Of that, what was paid back or taken back by the bank. */
  returned: number
}

/** What the ledger has of a payment: what was given, and of what came back what was taken and what had been used. */
export interface Settled {
  paymentId: string
  isGranted: boolean
  taken: number
  owed: number
}

/** From what the ledger has to what Stripe has; the balance never goes below nothing. */
export function settlement(payments: readonly CreditPayment[], settled: readonly Settled[], balance: number): Draft[] {
  const drafts: Draft[] = []
  let left = balance
  const put = (draft: Draft) => {
    drafts.push(draft)
    left += draft.micros
  }
  for (const { paymentId, granted, returned } of payments) {
    const known = settled.find((one) => one.paymentId === paymentId)
    if (!known?.isGranted && granted > 0) put({ kind: 'purchase', paymentId, micros: granted })
    if (!known?.isGranted && granted === 0) continue
    const { taken = 0, owed = 0 } = known ?? {}
    const more = returned - taken - owed
    if (more > 0) {
      const there = Math.min(more, left)
      put({ kind: 'refund', paymentId, micros: 0 - there, owed: more - there })
    }
    // The bank has given the payment back: first what was never taken is owed no more.
    if (more < 0) {
      const forgiven = Math.min(-more, owed)
      put({ kind: 'refund', paymentId, micros: -more - forgiven, owed: 0 - forgiven })
    }
  }
  return drafts
}
