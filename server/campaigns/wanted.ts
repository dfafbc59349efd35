import { type AudienceFilters, audienceTexts } from '../../shared/audience.ts'
import { campaignTexts, type WantedCampaign } from '../../shared/campaigns.ts'
import { normalizeEmail } from '../../shared/contact.ts'
import { currencyExponent } from '../../shared/money.ts'
import { AppError } from '../core/errors.ts'
import type { StoredFilters } from '../schema/campaigns.ts'
import { todayIn } from './rules.ts'

// What a member wants of a campaign, as it is stored, and what is refused of it (B 5). Pure.

export interface Stored {
  name: string
  description: string
  type: WantedCampaign['type']
  audience_type: WantedCampaign['targetAudience']['type']
  audience_mode: WantedCampaign['targetAudience']['mode']
  filters: StoredFilters
  emails: string[]
  template_key: string
  subject: string
  body: string
  start_date: string
  time_of_day: string
  frequency: WantedCampaign['schedule']['frequency']
  delay_hours: number
  spread_hours: number | null
}

export interface Where {
  currency: string
  zone: string
  now: Date
}

export function storedOf(wanted: WantedCampaign, { currency }: Pick<Where, 'currency'>): Stored {
  const { targetAudience, content, schedule } = wanted
  const { type, filters } = targetAudience
  const emails = (wanted.customerEmails ?? targetAudience.customerEmails).flatMap((each) => normalizeEmail(each) ?? [])
  // Chosen customers are chosen, whatever is said.
  const mode = type === 'specific_customers' ? 'selected' : targetAudience.mode
  return {
    ...{ name: wanted.name, description: wanted.description, type: wanted.type },
    ...{ audience_type: type, audience_mode: mode, filters: filtersOf(filters, currency) },
    emails: mode === 'selected' ? [...new Set(emails)] : [],
    ...{ template_key: content.template, ...wordsOf(wanted) },
    ...{ start_date: schedule.startDate, time_of_day: schedule.timeOfDay, frequency: schedule.frequency },
    ...{ delay_hours: schedule.delay, spread_hours: schedule.spreadHours },
  }
}

/** An SMS has no subject, and a WhatsApp message the words of its approved template (area decision 126). */
function wordsOf({ type, content: { subject, body } }: WantedCampaign) {
  return { subject: type === 'email' || type === 'push' ? subject : '', body: type === 'whatsapp' ? '' : body }
}

/** Throws what B 5 says. `hasStart`: its start counts, and is one it has not had before. */
export function assertValid(stored: Stored, { zone, now }: Where, { hasStart }: { hasStart: boolean }): void {
  const { type, subject, body, frequency, audience_mode, emails, start_date } = stored
  if (frequency !== 'once' && audience_mode !== 'matching') {
    throw refusalAt('targetAudience.mode', campaignTexts.recurringNeedsMatching)
  }
  if (audience_mode === 'selected' && emails.length === 0) throw refusalAt('customerEmails', audienceTexts.none)
  if (hasStart && start_date < todayIn(zone, now)) throw refusalAt('schedule.startDate', campaignTexts.pastStart)
  if (type === 'email' && subject === '') throw refusalAt('content.subject', campaignTexts.noSubject)
  if (type !== 'whatsapp' && body.trim() === '') throw refusalAt('content.body', campaignTexts.noBody)
}

export const refusalAt = (field: string, message: string): AppError =>
  new AppError('unprocessable', message, { fields: { [field]: message } })

export function filtersOf(filters: AudienceFilters, currency: string): StoredFilters {
  const minor = (amount: number) => Math.round(amount * 10 ** currencyExponent(currency))
  const { minCartValue, maxCartValue, minAbandonTime, maxAbandonTime, badge, country, productId, mailedBefore } =
    filters
  return {
    ...(minCartValue == null ? {} : { minMinor: minor(minCartValue) }),
    ...(maxCartValue == null ? {} : { maxMinor: minor(maxCartValue) }),
    ...(minAbandonTime == null ? {} : { minHours: minAbandonTime }),
    ...(maxAbandonTime == null ? {} : { maxHours: maxAbandonTime }),
    ...(badge == null ? {} : { badge }),
    ...(country == null ? {} : { country }),
    ...(productId == null ? {} : { productId }),
    ...(mailedBefore == null ? {} : { mailedBefore }),
  }
}

export function presentFilters(filters: StoredFilters, currency: string): AudienceFilters {
  const { minMinor, maxMinor, minHours, maxHours, badge, ...rest } = filters
  const amount = (minor: number) => minor / 10 ** currencyExponent(currency)
  return {
    ...(minMinor === undefined ? {} : { minCartValue: amount(minMinor) }),
    ...(maxMinor === undefined ? {} : { maxCartValue: amount(maxMinor) }),
    ...(minHours === undefined ? {} : { minAbandonTime: minHours }),
    ...(maxHours === undefined ? {} : { maxAbandonTime: maxHours }),
    ...(badge === undefined ? {} : { badge: badge as NonNullable<AudienceFilters['badge']> }),
    ...rest,
  }
}
