import { type CreditEntry, type CreditKind, type Credits, creditPacks } from '../../../shared/billing/credits.ts'
import { formatMoney } from '../../core/ui/format.ts'

// Texts about credits. Pure.

/** Cents if exact enough, otherwise the fractions an SMS costs. */
export function formatCredits(micros: number): string {
  const dollars = micros / 1_000_000
  return micros % 10_000 === 0 ? formatMoney(dollars, 'USD') : fineFormat.format(dollars)
}

const fineFormat = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 3,
  maximumFractionDigits: 6,
})

/** Whole cents, rounded down: never more than the balance. */
export const formatBalance = (micros: number): string => formatMoney(Math.floor(micros / 10_000) / 100, 'USD')

/** What credits cover beyond the plan's allowance; null means nothing. */
export function describeAfterPlan(credits: Credits | undefined): string | null {
  if (!credits || credits.balanceMicros <= 0 || !credits.isUsable) return null
  return isUsingCredits(credits) ? `then ${formatBalance(credits.balanceMicros)} of credits` : null
}

/** Whether SMS are paid with credits. */
export const isUsingCredits = ({ carrier, offer }: Pick<Credits, 'carrier' | 'offer'>): boolean =>
  carrier === 'operator' || (carrier === 'sandbox' && offer === 'test')

/** Whether the credits section applies. */
export const hasCreditsCard = (credits: Credits): boolean => credits.offer !== null || credits.balanceMicros > 0

/** Why credits are not used or cannot be bought; null if they can. */
export function explainUnusedCredits(credits: Credits): string | null {
  if (credits.carrier === 'own')
    return 'Your own provider carries your SMS and bills you for them. Credits are kept, and are used when it no longer does.'
  if (!isUsingCredits(credits))
    return 'Your SMS are not carried by this server at the moment, so credits are kept and not used.'
  if (!credits.isUsable)
    return 'Credits are used after the SMS of a plan. This plan includes none: choose Starter or Growth.'
  return null
}

const kinds: Record<CreditKind, string> = {
  purchase: 'Bought',
  use: 'SMS sent',
  give_back: 'SMS not sent after all',
  refund: 'Payment given back',
  adjustment: 'Changed by support',
  test: 'Added for trying out',
}

export function describeEntry({ kind, micros, owedMicros, note }: CreditEntry): string {
  if (note) return `${kinds[kind]}: ${note}`
  if (kind !== 'refund') return kinds[kind]
  if (micros > 0 || owedMicros < 0) return 'Payment kept after all'
  return owedMicros > 0 ? `${kinds[kind]}; ${formatCredits(owedMicros)} had been used` : kinds[kind]
}

export const formatSignedCredits = (micros: number): string => `${micros > 0 ? '+' : ''}${formatCredits(micros)}`

export const packOptions = creditPacks.map((pack) => ({ value: String(pack), label: `$${pack}` }))

const names = new Intl.DisplayNames('en', { type: 'region' })
export const formatCountry = (country: string | null): string =>
  country === null ? 'Elsewhere' : (names.of(country) ?? country)
