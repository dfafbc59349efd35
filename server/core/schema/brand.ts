import type { ColumnType, Generated } from 'kysely'
import type { BrandFields } from '../../../shared/messages/brand.ts'

export interface BrandSchema {
  brand_logos: BrandLogosTable
  brand_kits: BrandKitsTable
  brand_proposals: BrandProposalsTable
  mail_images: MailImagesTable
}

export interface BrandLogosTable {
  store_id: string
  hash: string
  type: 'png' | 'jpeg'
  width: number
  height: number
  content: Buffer
  created_at: Date
}

/** Pictures of mails. */
export interface MailImagesTable extends BrandLogosTable {
  /** Set by a trigger when an email with it gets another design. */
  replaced_at: Generated<Date | null>
}

export interface BrandKitsTable {
  store_id: string
  /** As saved; missing values have their defaults. */
  look: ColumnType<Partial<BrandFields>, string | undefined, string>
  logo_hash: Generated<string | null>
  version: Generated<number>
  updated_at: Date
}

export interface BrandProposalsTable {
  store_id: string
  source: 'site_logo' | 'site_icon'
  logo_hash: string
  state: Generated<'open' | 'confirmed' | 'dismissed'>
  found_at: Date
}
