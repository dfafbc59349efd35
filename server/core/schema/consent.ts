import type { ColumnType, Generated } from 'kysely'
import type {
  ConsentEvidence,
  ImportDoubt,
  ImportMapping,
  ImportStanding,
  ReviewDecision,
} from '../../../shared/marketing/ledger.ts'
import type { CaptureMode } from '../../../shared/shoppers/capture-mode.ts'
import type { BoxPlace } from '../../../shared/shoppers/consent-box.ts'
import type { SuppressionReason } from '../../../shared/shoppers/suppressions.ts'

/** The consent that a country's law requires, from the loosest to the strictest. */
export type ConsentRule = 'opt_out' | 'soft_opt_in' | 'opt_in' | 'confirmed_opt_in'

export interface ConsentSchema {
  suppressions: SuppressionsTable
  suppression_removals: SuppressionRemovalsTable
  person_erasures: PersonErasuresTable
  consents: ConsentsTable
  opt_in_requests: OptInRequestsTable
  consent_wordings: ConsentWordingsTable
  consent_boxes: ConsentBoxesTable
  consent_box_counts: ConsentBoxCountsTable
  consent_box_views: ConsentBoxViewsTable
  consent_overrides: ConsentOverridesTable
  capture_choices: CaptureChoicesTable
  preference_wordings: PreferenceWordingsTable
  consent_imports: ConsentImportsTable
  consent_import_errors: ConsentImportErrorsTable
  consent_import_reviews: ConsentImportReviewsTable
}

export interface SuppressionsTable {
  account_id: string
  address_hash: Buffer
  channel: 'all' | 'email' | 'sms' | 'whatsapp' | 'push'
  address: Generated<string | null>
  reason: SuppressionReason
  source: string
  created_at: Date
  note: Generated<string | null>
  added_by: Generated<string | null>
  import_ids: Generated<string[] | null>
}

export interface SuppressionRemovalsTable {
  account_id: string
  id: string
  address_hash: Buffer
  address: string | null
  channel: SuppressionsTable['channel']
  reason: SuppressionReason
  source: string
  created_at: Date
  removed_by: string | null
  removed_at: Date
}

export interface PersonErasuresTable {
  account_id: string
  id: string
  address_hash: Buffer
  encrypted: Buffer | null
  asked_by: string | null
  asked_at: Date
  finished_at: Generated<Date | null>
  stores_total: number
  stores_done: Generated<number>
  counts: ColumnType<Record<string, number>, string | undefined, string>
}

export interface ConsentsTable {
  store_id: string
  id: string
  address_hash: Buffer
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  status: 'pending' | 'granted' | 'withdrawn'
  source: string
  wording: Generated<string | null>
  at: Date
  is_confirmed: Generated<boolean>
  who: Generated<string | null>
  evidence: ColumnType<ConsentEvidence | null, string | null | undefined, string | null>
  import_ids: Generated<string[] | null>
}

export interface OptInRequestsTable {
  store_id: string
  channel: 'sms' | 'whatsapp'
  address_hash: Buffer
  phone: string | null
  country: Generated<string | null>
  state: 'waiting' | 'asked' | 'answered' | 'failed' | 'dropped'
  wording: Generated<string | null>
  created_at: Date
  due_at: Date
  asked_at: Generated<Date | null>
  provider_id: Generated<string | null>
}

export interface ConsentWordingsTable {
  store_id: string
  channel: 'email' | 'sms' | 'whatsapp'
  /** '': every language without its own wording. */
  language: Generated<string>
  /** '': the default of this language is off. */
  words: string
  updated_at: Date
  updated_by: string | null
}

export interface ConsentBoxesTable {
  store_id: string
  channel: 'email' | 'sms' | 'whatsapp'
  wording_id: string
  seen_at: Date
}

interface OfBox {
  store_id: string
  place: BoxPlace
  channel: ConsentWordingsTable['channel']
  wording_id: string
}

export interface ConsentBoxCountsTable extends OfBox {
  day: string
  shown: Generated<number>
  ticked: Generated<number>
  ticked_alone: Generated<number>
}

export interface ConsentBoxViewsTable extends OfBox {
  view: string
  day: string
  is_ticked: boolean
  is_alone: boolean
  seen_at: Date
}

export interface ConsentOverridesTable {
  store_id: string
  id: string
  channel: 'email' | 'sms'
  country: string
  from_rule: ConsentRule
  to_rule: ConsentRule
  legal_ground: string
  created_at: Date
  created_by: string | null
  created_by_name: string
  ended_at: Generated<Date | null>
  ended_by: Generated<string | null>
  ended_by_name: Generated<string | null>
}

/** The store's choice of data to keep before a shopper consents. */
export interface CaptureChoicesTable {
  store_id: string
  id: string
  mode: CaptureMode
  legal_ground: string | null
  created_at: Date
  created_by: string | null
  created_by_name: string
}

export interface PreferenceWordingsTable {
  store_id: string
  language: 'en' | 'de'
  headline: string | null
  intro: string | null
  email: string | null
  sms: string | null
  whatsapp: string | null
  updated_at: Date
}

export interface ConsentImportsTable {
  store_id: string
  id: string
  file_name: string
  content: string | null
  delimiter: string
  columns: string[]
  row_count: number
  state: 'uploaded' | 'running' | 'done' | 'failed'
  mapping: ColumnType<ImportMapping | null, string | null | undefined, string | null>
  legal_ground: Generated<string | null>
  confirmed_by: Generated<string | null>
  uploaded_at: Date
  confirmed_at: Generated<Date | null>
  finished_at: Generated<Date | null>
  done_count: Generated<number>
  added_count: Generated<number>
  known_count: Generated<number>
  refused_count: Generated<number>
  suppressed_count: Generated<number>
  standing: Generated<ImportStanding>
  doubt: Generated<ImportDoubt | null>
}

export interface ConsentImportReviewsTable {
  store_id: string
  import_id: string
  id: string
  decision: ReviewDecision
  decided_by: string | null
  at: Date
}

export interface ConsentImportErrorsTable {
  store_id: string
  import_id: string
  line: number
  address_hash: Buffer | null
  cells: string[]
  problem: string
  at: Date
}
