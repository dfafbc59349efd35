import { getSourceText } from '../../../shared/marketing/ledger.ts'
import type { ConsentRule } from '../../core/schema/public.ts'
import type { ConsentBasis } from './consent.ts'
import { ruleTexts } from './consent-table.ts'

// Explains the consent of a decision to people. Pure: uses the record only, which may be old.

const PROBLEMS = ['no_consent', 'consent_pending', 'consent_unconfirmed', 'consent_withdrawn']

const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
const countries = new Intl.DisplayNames('en', { type: 'region' })

/** A sentence for a message sent, or held for lack of consent; '' for others and for old records. */
export function explainConsent(decision: { outcome: string; reason: string; inputs: Record<string, unknown> }): string {
  const { outcome, reason, inputs } = decision
  const basis = inputs.consentBasis as ConsentBasis | undefined
  if (!basis || (outcome !== 'send' && !PROBLEMS.includes(reason))) return ''
  return basis.kind === 'ledger' ? describeEvidence(basis, inputs) : describeRule(basis, inputs)
}

function describeEvidence(
  basis: Extract<ConsentBasis, { kind: 'ledger' }>,
  { consent }: Record<string, unknown>,
): string {
  const source = getSourceText(basis.source)
  const when = `on ${day.format(new Date(basis.at))} (${source.charAt(0).toLowerCase()}${source.slice(1)})`
  if (consent === 'withdrawn') return `They opted out ${when}.`
  if (consent === 'pending') return `They opted in ${when}, but have not confirmed it yet.`
  return consent === 'confirmed' ? `They opted in and confirmed it ${when}.` : `They opted in ${when}.`
}

function describeRule(basis: Exclude<ConsentBasis, { kind: 'ledger' }>, inputs: Record<string, unknown>): string {
  const { title } = ruleTexts[basis.rule as ConsentRule] ?? { title: basis.rule }
  const place = describePlace(inputs.country)
  if (basis.kind === 'override') return `${place} this store’s rule, changed by its team, is: ${title}.`
  const purchase = inputs.boughtBefore && basis.rule === 'soft_opt_in' ? ' They are an existing customer.' : ''
  return `${place} the rule is: ${title}.${purchase}`
}

function describePlace(country: unknown): string {
  if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country)) return 'For an unknown country,'
  return `For ${countries.of(country) ?? country}`
}
