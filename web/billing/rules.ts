import type { PlanLimits } from '../../shared/billing.ts'

// How plans are shown. Pure.

/** Dollars a month: 20 percent off when paid by the year, rounded (A 9). */
export const monthlyPrice = (priceMonthly: number, isYearly: boolean) =>
  isYearly ? Math.round(priceMonthly * 0.8) : priceMonthly

/** What a plan allows, one line each, in the order of A 9. */
export function limitLines(limits: PlanLimits): string[] {
  return [
    limits.maxStores === 1 ? '1 store' : `${amount(limits.maxStores)} stores`,
    `${amount(limits.maxEmailsPerMonth)} emails per month`,
    limits.maxSmsPerMonth === 0 ? 'No SMS' : `${amount(limits.maxSmsPerMonth)} SMS per month`,
    limits.maxWhatsappPerMonth === 0
      ? 'No WhatsApp'
      : `${amount(limits.maxWhatsappPerMonth)} WhatsApp messages per month`,
  ]
}

const amount = (limit: number) => (limit === -1 ? 'Unlimited' : limit.toLocaleString('en-US'))
