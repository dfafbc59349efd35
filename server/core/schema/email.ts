import type { Generated } from 'kysely'

export interface EmailSchema {
  sender_keys: SenderKeysTable
  bounce_mailboxes: BounceMailboxesTable
  mail_servers: MailServersTable
  sending_proofs: SendingProofsTable
}

export interface SenderKeysTable {
  domain: string
  selector: string
  public_key: string
  encrypted: Buffer
  created_at: Date
  seen_at: Generated<Date | null>
  checked_at: Generated<Date | null>
}

export interface BounceMailboxesTable {
  account_id: string
  address: string
  host: string
  port: number
  user_name: string
  encrypted: Buffer
  version: Generated<number>
  uid_validity: string | null
  last_uid: Generated<number>
  reports: Generated<number>
  read_at: Date | null
  problem: string | null
  next_read_at: Date
}

export interface MailServersTable {
  account_id: string
  host: string
  port: number
  security: 'starttls' | 'tls' | 'none'
  user_name: string
  encrypted: Buffer | null
  from_address: string | null
  check_answer: string
  checked_at: Date
  version: Generated<number>
  problem: string | null
  failing_since: Date | null
  failures: Generated<number>
  rests_until: Date | null
}

export interface SendingProofsTable {
  account_id: string
  what: 'test_mail' | 'domain'
  subject: string
  is_good: boolean
  at: Date
}
