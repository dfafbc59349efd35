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
  return isUsingCredits(credits) ? `then ${formatBalance(credits.balanceMicros)} in credits` : null
}

/** Whether SMS are paid with credits. */
export const isUsingCredits = ({ carrier, offer }: Pick<Credits, 'carrier' | 'offer'>): boolean =>
  carrier === 'operator' || (carrier === 'sandbox' && offer === 'test')

/** Whether the credits section applies. */
export const hasCreditsCard = (credits: Credits): boolean => credits.offer !== null || credits.balanceMicros > 0

/** Why credits are not used or cannot be bought; null if they can. */
export function explainUnusedCredits(credits: Credits): string | null {
  if (credits.carrier === 'own') return 'Your SMS go through your own provider, which bills you. You keep your credits.'
  if (!isUsingCredits(credits)) return 'This server does not send your SMS at the moment. You keep your credits.'
  if (!credits.isUsable) return 'Credits need a plan with SMS: choose Starter or Growth.'
  return null
}

const kinds: Record<CreditKind, string> = {
  purchase: 'Bought',
  use: 'SMS sent',
  give_back: 'SMS not sent, credits returned',
  refund: 'Payment refunded',
  adjustment: 'Changed by support',
  test: 'Test credits',
}

export function describeEntry({ kind, micros, owedMicros, note }: CreditEntry): string {
  if (note) return `${kinds[kind]}: ${note}`
  if (kind !== 'refund') return kinds[kind]
  if (micros > 0 || owedMicros < 0) return 'Refund reversed'
  return owedMicros > 0 ? `${kinds[kind]}; ${formatCredits(owedMicros)} had been used` : kinds[kind]
}

export const formatSignedCredits = (micros: number): string => `${micros > 0 ? '+' : ''}${formatCredits(micros)}`

export const packOptions = creditPacks.map((pack) => ({ value: String(pack), label: `$${pack}` }))

const names = new Intl.DisplayNames('en', { type: 'region' })
export const formatCountry = (country: string | null): string =>
  country === null ? 'Elsewhere' : (names.of(country) ?? country)
