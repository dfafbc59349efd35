import type { Generated } from 'kysely'
import type { CreditKind } from '../../../shared/billing/credits.ts'

export interface CreditsSchema {
  credit_balances: CreditBalancesTable
  credit_entries: CreditEntriesTable
  credit_requests: CreditRequestsTable
}

/** Amounts in millionths of a dollar. */
export interface CreditBalancesTable {
  account_id: string
  micros: number
  entries: number
  updated_at: Date
}

export interface CreditEntriesTable {
  account_id: string
  seq: number
  at: Date
  kind: CreditKind
  micros: number
  balance_micros: number
  owed_micros: Generated<number>
  payment_id: string | null
  message_id: string | null
  note: string | null
}

export interface CreditRequestsTable {
  account_id: string
  user_id: string
  key: string
  micros: number
  balance_micros: Generated<number | null>
  expires_at: Date
}
