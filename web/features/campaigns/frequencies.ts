import type { Frequency } from '../../../shared/marketing/campaigns.ts'

export const frequencyNames: Record<Frequency, string> = {
  once: 'Once',
  daily: 'Daily',
  weekly: 'Weekly',
  monthly: 'Monthly',
}
