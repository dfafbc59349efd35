// Who has had a trial (decision 84). Pure.

const DOTS_DO_NOT_COUNT = ['gmail.com', 'googlemail.com']

/** Removes what an owner can vary: case, a +tag, and Gmail's dots and second domain. */
export function normalizeTrialAddress(email: string): string {
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

/** Keys that a trial claims. A card's fingerprint is the same for all customers. */
export function listTrialKeys(account: {
  accountId: string
  emails: readonly string[]
  cards: readonly string[]
}): TrialKey[] {
  const { accountId, emails, cards } = account
  const of = (kind: TrialKey['kind'], values: readonly string[]) =>
    [...new Set(values)].map((value) => ({ kind, value }))
  return [...of('account', [accountId]), ...of('email', emails.map(normalizeTrialAddress)), ...of('card', cards)]
}
