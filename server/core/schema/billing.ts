import type { Generated } from 'kysely'
import type { BillingCycle, PlanKey } from '../../../shared/billing/billing.ts'
import type { PaymentStatus } from '../../../shared/billing/payments.ts'

export interface BillingSchema {
  billing_customers: BillingCustomersTable
  billing_events: BillingEventsTable
  checkout_sessions: CheckoutSessionsTable
  payments: PaymentsTable
  trial_claims: TrialClaimsTable
}

export interface BillingCustomersTable {
  account_id: string
  stripe_customer_id: string
  begun: Generated<number>
  applied: Generated<number>
  refreshed_at: Generated<Date | null>
  failed_at: Generated<Date | null>
  failure: Generated<string | null>
  created_at: Date
}

export interface BillingEventsTable {
  event_id: string
  type: string
  stripe_customer_id: string | null
  made_at: Date
  received_at: Date
}

export interface CheckoutSessionsTable {
  account_id: string
  stripe_session_id: string
  plan: Exclude<PlanKey, 'free'>
  cycle: BillingCycle
  extra_stores: number
  state: 'open' | 'complete' | 'expired'
  url: string
  created_at: Date
  ended_at: Generated<Date | null>
}

export interface PaymentsTable {
  account_id: string
  id: string
  stripe_invoice_id: string
  number: string | null
  created_at: Date
  description: string
  amount_minor: number
  currency: string
  refund_minor: Generated<number>
  failure_reason: string | null
  status: PaymentStatus
  invoice_url: string | null
}

export interface TrialClaimsTable {
  kind: 'account' | 'email' | 'card'
  key_hash: Buffer
  account_id: string | null
  claimed_at: Date
}
