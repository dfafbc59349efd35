import type { Generated } from 'kysely'
import type { BillingCycle, PlanKey, SubscriptionSource, SubscriptionStatus } from '../../../shared/billing/billing.ts'

export interface AccountsSchema {
  users: UsersTable
  accounts: AccountsTable
  members: MembersTable
  invitations: InvitationsTable
  email_changes: EmailChangesTable
  email_undos: EmailUndosTable
  password_resets: PasswordResetsTable
  recovery_codes: RecoveryCodesTable
  subscriptions: SubscriptionsTable
  plan_usage: PlanUsageTable
}

export interface UsersTable {
  id: string
  email: string
  name: string
  password_hash: string
  email_confirmed_at: Generated<Date | null>
  totp_encrypted: Generated<Buffer | null>
  totp_confirmed_at: Generated<Date | null>
  /** Time step of the last accepted code, in 30 s since 1970. */
  totp_last_step: Generated<string | null>
  created_at: Date
}

export interface AccountsTable {
  id: string
  name: string
  is_demo: Generated<boolean>
  created_at: Date
  deleted_at: Generated<Date | null>
  suspended_at: Generated<Date | null>
  suspended_reason: Generated<string | null>
  suspended_by: Generated<string | null>
}

export interface MembersTable {
  account_id: string
  user_id: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  created_at: Date
  entered_at: Generated<Date | null>
}

export interface InvitationsTable {
  account_id: string
  id: string
  email: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  invited_by: string | null
  token_hash: Generated<Buffer | null>
  created_at: Date
  sent_at: Generated<Date | null>
  mail_problem: Generated<string | null>
  expires_at: Date
}

export interface EmailChangesTable {
  user_id: string
  email: string
  token_hash: Generated<Buffer | null>
  created_at: Date
  expires_at: Date
}

export interface EmailUndosTable {
  id: string
  user_id: string
  email: string
  token_hash: Generated<Buffer | null>
  created_at: Date
  expires_at: Date
}

export interface PasswordResetsTable {
  token_hash: Buffer
  user_id: string
  created_at: Date
  expires_at: Date
  used_at: Generated<Date | null>
}

export interface RecoveryCodesTable {
  user_id: string
  code_hash: Buffer
  used_at: Generated<Date | null>
}

export interface SubscriptionsTable {
  account_id: string
  plan: PlanKey
  status: SubscriptionStatus
  next_billing_at: Generated<Date | null>
  /** Set exactly while the status is past_due. */
  past_due_since: Generated<Date | null>
  updated_at: Date
  source: Generated<SubscriptionSource>
  is_unlimited: Generated<boolean>
  extra_stores: Generated<number>
  cycle: Generated<BillingCycle | null>
  amount_minor: Generated<number | null>
  currency: Generated<string | null>
  current_period_end: Generated<Date | null>
  trial_ends_at: Generated<Date | null>
  last_payment_at: Generated<Date | null>
  cancel_at_period_end: Generated<boolean>
  has_card: Generated<boolean>
  /** These and `changes_at` are set while a downgrade waits for the period's end. */
  next_plan: Generated<PlanKey | null>
  next_cycle: Generated<BillingCycle | null>
  next_extra_stores: Generated<number | null>
  changes_at: Generated<Date | null>
  stripe_subscription_id: Generated<string | null>
  stripe_schedule_id: Generated<string | null>
}

export interface PlanUsageTable {
  account_id: string
  month: string
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  used: Generated<number>
}
