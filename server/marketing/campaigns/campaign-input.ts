import { normalizeEmail, normalizePhone } from '../../../shared/core/contact.ts'
import type { TargetAudience } from '../../../shared/marketing/audience.ts'
import type { CampaignInput } from '../../../shared/marketing/campaigns.ts'
import { AppError } from '../../core/common/public.ts'
import type { StoredFilters } from '../../core/schema/public.ts'
import type { EmailContent } from '../../messages/templates/public.ts'

// Converts a member's campaign input to stored columns and validates it (B 5). Pure.

export interface StoredInput {
  name: string
  description: string
  type: CampaignInput['type']
  audience_type: CampaignInput['targetAudience']['type']
  audience_mode: CampaignInput['targetAudience']['mode']
  filters: StoredFilters
  /** Emails, and phone numbers of people chosen by number. */
  people: string[]
  template_key: string
  subject: string
  body: string
  design: EmailContent['design']
  start_date: string
  time_of_day: string
  frequency: CampaignInput['schedule']['frequency']
  delay_hours: number
  spread_hours: number | null
}

export interface StoreClock {
  currency: string
  zone: string
  now: Date
}

/** Without duplicates. Invalid addresses and numbers are dropped. */
export function parsePeople(
  { customerEmails, customerPhones }: Pick<TargetAudience, 'customerEmails' | 'customerPhones'>,
  emails = customerEmails,
): string[] {
  const addresses = emails.flatMap((each) => normalizeEmail(each) ?? [])
  const numbers = customerPhones.flatMap((each) => normalizePhone(each, null) ?? [])
  return [...new Set([...addresses, ...numbers])]
}

export const isEmail = (address: string): boolean => address.includes('@')

export const fieldError = (field: string, message: string): AppError =>
  new AppError('unprocessable', message, { fields: { [field]: message } })
