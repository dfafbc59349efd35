import { findPhoneCountry } from '../people.ts'
import type { Channel } from '../steps.ts'
import { describeMail, type Invariant, type SentMail } from './scene.ts'

// C6: who may get messages at all, written independently for the countries of the scenario.

type Rule = 'opt_out' | 'soft_opt_in' | 'opt_in' | 'confirmed_opt_in'

const RULES: Record<Channel, Record<string, Rule>> = {
  email: { US: 'opt_out', DE: 'soft_opt_in', GB: 'soft_opt_in', AU: 'soft_opt_in', MX: 'opt_in' },
  sms: { US: 'opt_in', GB: 'opt_in', AU: 'opt_in', DE: 'confirmed_opt_in', MX: 'confirmed_opt_in' },
  whatsapp: { US: 'opt_in', DE: 'opt_in', GB: 'opt_in', AU: 'opt_in', MX: 'opt_in' },
  push: { US: 'opt_in', DE: 'opt_in', GB: 'opt_in', AU: 'opt_in', MX: 'opt_in' },
}

export const C6: Invariant = (scene) =>
  scene.fresh.flatMap((mail) => {
    const country = findCountry(mail)
    const rule = RULES[mail.channel][country]!
    const problem = findRefusal(mail, rule, country) ?? findSmsLimit(mail, scene)
    return problem ? [`${describeMail(mail)} (${country}: ${rule}) was sent, but ${problem}`] : []
  })

/** Country of the address, then of the phone, then of the store, which sells only in the US. */
const findCountry = ({ evidence: { country, phone } }: SentMail) => country ?? findPhoneCountry(phone) ?? 'US'

function findRefusal({ channel, evidence }: SentMail, rule: Rule, country: string): string | null {
  const { overrides, hasBoughtBefore, sendingAt } = evidence
  // A change at the moment of the send may have come too late for it.
  const ledger = evidence.ledger.filter(({ status, at }) => status !== 'withdrawn' || at < sendingAt - 1_000)
  const no = ledger.findLastIndex(({ status }) => status === 'withdrawn')
  const yes = ledger.slice(no + 1).filter(({ status }) => status === 'granted')
  if (no >= 0 && yes.length === 0) return 'that person’s last answer was a refusal'
  const isOverridden = (to: Rule) =>
    overrides.some((each) => each.from === rule && each.to === to && ['*', country].includes(each.country))
  const may: Record<Rule, () => boolean> = {
    opt_out: () => true,
    soft_opt_in: () => yes.length > 0 || hasBoughtBefore || isOverridden('opt_out'),
    opt_in: () => yes.length > 0,
    confirmed_opt_in: () => yes.some(({ isConfirmed }) => isConfirmed) || (yes.length > 0 && isOverridden('opt_in')),
  }
  return may[rule]() ? null : `there is no consent for ${channel}`
}

const HOURS_48 = 48 * 3_600_000

function findSmsLimit(mail: SentMail, { harness, mails }: Parameters<Invariant>[0]): string | null {
  const { channel, to, at, evidence } = mail
  const isUs = [evidence.country, findPhoneCountry(to)].includes('US')
  if (channel === 'sms' && isUs) {
    if (evidence.lastActivityAt !== null && evidence.sendingAt - evidence.lastActivityAt > HOURS_48)
      return 'the cart was abandoned more than 48 hours ago'
    const carts = new Set([evidence.cart, ...evidence.joined])
    const before = mails.filter((each) => each.channel === 'sms' && each.evidence && carts.has(each.evidence.cart))
    if (before.some((each) => each.isAccepted && each.at < at)) return 'the cart already got its one SMS'
  }
  if (channel !== 'whatsapp') return null
  if (mail.isTemplate) {
    return to.startsWith('+1') && harness.scenario.template === 'marketing'
      ? 'marketing is not sent to +1 numbers'
      : null
  }
  const wroteAt = harness.lastInboundAt.get(to)
  if (harness.hasJumped) return null
  return wroteAt === undefined || at - wroteAt > DAY_MS ? 'that person has not written within a day' : null
}

const DAY_MS = 24 * 3_600_000 + 2_000
