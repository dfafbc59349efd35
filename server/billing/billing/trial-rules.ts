// Who has had a trial (decision 84). Pure.

const DOTS_DO_NOT_COUNT = ['gmail.com', 'googlemail.com']

/** An address without what its owner can vary at will: case, a +tag, and the dots of Gmail, whose two domains are one. */
export function trialAddress(email: string): string {
  const text = email.trim().toLowerCase()
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  const tag = local.indexOf('+', 1)
  const untagged = tag < 0 ? local : local.slice(0, tag)
  if (!DOTS_DO_NOT_COUNT.includes(domain)) return `${untagged}@${domain}`
  return `${untagged.replaceAll('.', '') || untagged}@gmail.com`
}

export interface TrialKey {
  kind: 'account' | 'email' | 'card'
  value: string
}

/** What a trial of the account takes up; a card by its fingerprint, which is the same for all customers. */
export function trialKeys(account: {
  accountId: string
  emails: readonly string[]
  cards: readonly string[]
}): TrialKey[] {
  const { accountId, emails, cards } = account
  const of = (kind: TrialKey['kind'], values: readonly string[]) =>
    [...new Set(values)].map((value) => ({ kind, value }))
  return [...of('account', [accountId]), ...of('email', emails.map(trialAddress)), ...of('card', cards)]
}
