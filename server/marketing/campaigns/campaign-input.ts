import { audienceTexts, type TargetAudience } from '../../../shared/audience.ts'
import { type CampaignInput, campaignTexts } from '../../../shared/campaigns.ts'
import { normalizeEmail, normalizePhone } from '../../../shared/contact.ts'
import { AppError } from '../../core/common/errors.ts'
import type { StoredFilters } from '../../core/schema/campaigns.ts'
import { filtersOf } from '../audiences/filters.ts'
import { todayIn } from './rules.ts'

// Converts a member's campaign input to stored columns and validates it (B 5). Pure.

export interface Stored {
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

export function toStoredCampaign(wanted: CampaignInput, { currency }: Pick<StoreClock, 'currency'>): Stored {
  const { targetAudience, content, schedule } = wanted
  const { type, filters } = targetAudience
  // Chosen customers are always selected, whatever mode the request has.
  const mode = type === 'specific_customers' ? 'selected' : targetAudience.mode
  return {
    ...{ name: wanted.name, description: wanted.description, type: wanted.type },
    ...{ audience_type: type, audience_mode: mode, filters: filtersOf(filters, currency) },
    people: mode === 'selected' ? parsePeople(targetAudience, wanted.customerEmails) : [],
    ...{ template_key: content.template, ...contentOf(wanted) },
    ...{ start_date: schedule.startDate, time_of_day: schedule.timeOfDay, frequency: schedule.frequency },
    ...{ delay_hours: schedule.delay, spread_hours: schedule.spreadHours },
  }
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

/** An SMS has no subject, and a WhatsApp message has the text of its approved template (area decision 126). */
function contentOf({ type, content: { subject, body } }: CampaignInput) {
  return { subject: type === 'email' || type === 'push' ? subject : '', body: type === 'whatsapp' ? '' : body }
}

/** Throws the errors of B 5. `hasStart`: the start date is new, so it is validated. */
export function assertValid(stored: Stored, { zone, now }: StoreClock, { hasStart }: { hasStart: boolean }): void {
  const { type, subject, body, frequency, audience_mode, people, start_date } = stored
  if (frequency !== 'once' && audience_mode !== 'matching') {
    throw fieldError('targetAudience.mode', campaignTexts.recurringNeedsMatching)
  }
  if (audience_mode === 'selected' && people.length === 0) throw fieldError('customerEmails', audienceTexts.none)
  const isText = type === 'sms' || type === 'whatsapp'
  if (!isText && !people.every(isEmail)) throw fieldError('customerPhones', audienceTexts.phonesOfMail)
  if (hasStart && start_date < todayIn(zone, now)) throw fieldError('schedule.startDate', campaignTexts.pastStart)
  if (type === 'email' && subject === '') throw fieldError('content.subject', campaignTexts.noSubject)
  if (type === 'push' && subject === '') throw fieldError('content.subject', campaignTexts.noTitle)
  if (type !== 'whatsapp' && body.trim() === '') throw fieldError('content.body', campaignTexts.noBody)
}

export const fieldError = (field: string, message: string): AppError =>
  new AppError('unprocessable', message, { fields: { [field]: message } })
