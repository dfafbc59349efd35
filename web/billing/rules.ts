import { type PlanKey, type PlanLimits, plans } from '../../shared/billing.ts'

// How plans are shown. Pure.

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

/** What a plan's card lists: what it allows and has (A 9), and in our own words what it takes from the smaller one, and what the texts are for. */
export function planLines(plan: PlanKey): string[] {
  const { limits, features } = plans[plan]
  return [...featuresBefore(plan), ...limitLines(limits), ...(plan === 'starter' ? [TEXTS_BY_HAND] : []), ...features]
}

/** All that Starter has, Growth has too (`featurePlans`); A 9 lists only what is added. */
export const featuresBefore = (plan: PlanKey): string[] =>
  plan === 'growth' ? [`Everything in ${plans.starter.name}`] : []

const TEXTS_BY_HAND = `SMS and WhatsApp are sent by hand; automated ones are in ${plans.growth.name}`

/** Priority and Premium Support: the mail says which plan it comes from (A 9). */
export const supportLink = (address: string, plan: PlanKey | null) =>
  plan && plan !== 'free'
    ? `mailto:${address}?subject=${encodeURIComponent(`${plans[plan].name} plan: `)}`
    : `mailto:${address}`

const amount = (limit: number) => (limit === -1 ? 'Unlimited' : limit.toLocaleString('en-US'))
