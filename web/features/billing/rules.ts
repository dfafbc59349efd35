import { type PlanKey, type PlanLimits, plans } from '../../../shared/billing/billing.ts'

// Texts of the plans. Pure.

const amount = (limit: number) => (limit === -1 ? 'Unlimited' : limit.toLocaleString('en-US'))

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
    ...listLimits(limits),
    ...listInheritedFeatures(plan),
    ...(plan === 'starter' ? [TEXTS_BY_HAND] : []),
    ...features,
  ]
}

/** Growth includes all features of Starter (`featurePlans`); A 9 lists only the additions. */
export const listInheritedFeatures = (plan: PlanKey): string[] =>
  plan === 'growth' ? [`Everything in ${plans.starter.name}`] : []

const TEXTS_BY_HAND = `Manual SMS and WhatsApp (automated in ${plans.growth.name})`

/** What each feature of A 9 is. */
const meanings: Readonly<Record<string, string>> = {
  'Basic Analytics': 'Totals and funnel of 7 and 30 days',
  'Email Support': 'Email the support address',
  'Advanced Analytics': 'Ranges up to a year, trends and tables',
  'Priority Support': 'Your email names your plan, so we can answer it first',
  'Customer Segmentation': 'Filter shoppers by cart value, time, country and product, and save the audience',
  'Scheduled Campaigns': 'Send later, or repeat',
  'Multi-store Dashboard': 'Totals of all your stores together',
  'ROI Tracking': 'Revenue recovered, compared with what the plan costs',
  'Automated SMS/WhatsApp': 'As steps of a flow and in campaigns',
  'Export Analytics': 'Reports as CSV files',
  'Premium Support': 'Same as Priority Support; your email names the larger plan',
  [listLimits(plans.growth.limits)[1]!]: 'New accounts start with a daily limit',
}

/** The meaning of a line of a plan's card; null: the line says it all. */
export const explainLine = (line: string): string | null => meanings[line] ?? null

/** Offered first, with `billingTexts.recommendedReason`. */
export const RECOMMENDED: PlanKey = 'starter'

/** Priority and Premium Support: the mail names the plan (A 9). */
export const buildSupportLink = (address: string, plan: PlanKey | null) =>
  plan && plan !== 'free'
    ? `mailto:${address}?subject=${encodeURIComponent(`${plans[plan].name} plan: `)}`
    : `mailto:${address}`
