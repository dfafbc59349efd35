import { sourceWords } from '../../shared/ledger.ts'
import type { ConsentBasis } from './consent.ts'
import { type ConsentRule, ruleTexts } from './consent-table.ts'

// What a decision's consent rests on, for people. Pure: from what the record keeps, whenever it was written.

const PROBLEMS = ['no_consent', 'consent_pending', 'consent_unconfirmed', 'consent_withdrawn']

const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
const countries = new Intl.DisplayNames('en', { type: 'region' })

/** A sentence for a message that was sent, or held back for want of consent; '' for others and for old records. */
export function consentWords(decision: { outcome: string; reason: string; inputs: Record<string, unknown> }): string {
  const { outcome, reason, inputs } = decision
  const basis = inputs.consentBasis as ConsentBasis | undefined
  if (!basis || (outcome !== 'send' && !PROBLEMS.includes(reason))) return ''
  return basis.kind === 'ledger' ? ofWord(basis, inputs) : ofRule(basis, inputs)
}

function ofWord(basis: Extract<ConsentBasis, { kind: 'ledger' }>, { consent }: Record<string, unknown>): string {
  const words = sourceWords(basis.source)
  const when = `on ${day.format(new Date(basis.at))} (${words.charAt(0).toLowerCase()}${words.slice(1)})`
  if (consent === 'withdrawn') return `They said no ${when}.`
  if (consent === 'pending') return `They said yes ${when}, and this awaits their confirmation.`
  return consent === 'confirmed' ? `They said yes and confirmed it ${when}.` : `They said yes ${when}.`
}

function ofRule(basis: Exclude<ConsentBasis, { kind: 'ledger' }>, inputs: Record<string, unknown>): string {
  const { title } = ruleTexts[basis.rule as ConsentRule] ?? { title: basis.rule }
  const place = placeOf(inputs.country)
  if (basis.kind === 'relaxation') return `${place} the rule of this store, relaxed by its team, is: ${title}.`
  const purchase = inputs.boughtBefore && basis.rule === 'soft_opt_in' ? ' They have bought here before.' : ''
  return `${place} the rule is: ${title}.${purchase}`
}

function placeOf(country: unknown): string {
  if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country)) return 'Where the shopper’s country is not known,'
  return `For ${countries.of(country) ?? country}`
}
