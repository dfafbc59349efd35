import type { MessageView } from '../../../shared/carts/carts.ts'
import type { ConsentTable } from '../../../shared/shoppers/consent.ts'

// Why an email was sent to a shopper who ticked no box. Pure.

/** A strict country, for comparison. */
const STRICT = 'DE'

const regions = new Intl.DisplayNames('en-US', { type: 'region' })

/** From the decision's record and the store's country rules; null if the shopper consented, or nothing was sent. */
export function explainPermission(messages: readonly MessageView[], table: ConsentTable | undefined): string | null {
  const sent = messages.find(({ channel, sentAt }) => channel === 'email' && sentAt !== null)
  const inputs = sent?.decisions.findLast(({ outcome }) => outcome === 'send')?.inputs
  if (!inputs || inputs.consent !== null || inputs.consentRule !== 'opt_out' || typeof inputs.country !== 'string')
    return null
  if (!/^[A-Z]{2}$/.test(inputs.country)) return null
  const allowed = `The box was not ticked. In ${nameCountry(inputs.country)} email is opt-out, so it was allowed.`
  const isBlocked = inputs.country !== STRICT && table !== undefined && findRule(table, STRICT) !== 'opt_out'
  // Strict countries allow mail to earlier customers without a tick.
  return isBlocked && inputs.boughtBefore === false
    ? `${allowed} ${regions.of(STRICT)} would have blocked it.`
    : allowed
}

function findRule({ countries, elsewhere, overrides }: ConsentTable, country: string) {
  const rule = (countries.find((each) => each.country === country)?.rules ?? elsewhere).email
  const relaxed = overrides.find(
    (each) =>
      each.channel === 'email' &&
      each.endedAt === null &&
      each.from === rule &&
      (each.country === country || each.country === '*'),
  )
  return relaxed?.to ?? rule
}

const nameCountry = (code: string) => {
  const name = regions.of(code) ?? code
  return /^(United|Netherlands|Philippines)/.test(name) ? `the ${name}` : name
}
