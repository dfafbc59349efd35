import { type PlanKey, type PlanLimits, plans } from '../../../shared/billing/billing.ts'

// Texts of the plans. Pure.

/** What a plan allows, one line each, in the order of A 9. */
export function listLimits(limits: PlanLimits): string[] {
  return [
    limits.maxStores === 1 ? '1 store' : `${amount(limits.maxStores)} stores`,
    `${amount(limits.maxEmailsPerMonth)} emails per month`,
    limits.maxSmsPerMonth === 0 ? 'No SMS' : `${amount(limits.maxSmsPerMonth)} SMS per month`,
    limits.maxWhatsappPerMonth === 0
      ? 'No WhatsApp'
      : `${amount(limits.maxWhatsappPerMonth)} WhatsApp messages per month`,
  ]
}

/**
 * Lines of a plan's card: limits and features (A 9), plus our own lines on what it shares with the smaller plan and
 * what texts are for.
 */
export function listPlanLines(plan: PlanKey): string[] {
  const { limits, features } = plans[plan]
  return [
    ...listInheritedFeatures(plan),
    ...listLimits(limits),
    ...(plan === 'starter' ? [TEXTS_BY_HAND] : []),
    ...features,
  ]
}

/** Growth includes all features of Starter (`featurePlans`); A 9 lists only the additions. */
export const listInheritedFeatures = (plan: PlanKey): string[] =>
  plan === 'growth' ? [`Everything in ${plans.starter.name}`] : []

const TEXTS_BY_HAND = `SMS and WhatsApp are sent by hand; automated ones are in ${plans.growth.name}`

/** Priority and Premium Support: the mail names the plan (A 9). */
export const buildSupportLink = (address: string, plan: PlanKey | null) =>
  plan && plan !== 'free'
    ? `mailto:${address}?subject=${encodeURIComponent(`${plans[plan].name} plan: `)}`
    : `mailto:${address}`

const amount = (limit: number) => (limit === -1 ? 'Unlimited' : limit.toLocaleString('en-US'))
