import { plans } from '../../../shared/billing/billing.ts'
import { secrets } from '../actors.ts'
import { FIRST_DAY } from '../clock.ts'
import type { Harness } from '../harness.ts'
import { findPhoneCountry, findSmsPrice, type Home, isNight } from '../people.ts'
import type { SentMessage } from '../providers.ts'
import type { Message, State } from '../state.ts'
import type { Channel } from '../steps.ts'
import { describeMail, type Invariant, isCampaignSend, isManualSend, MOMENT_MS, type SentMail } from './scene.ts'

// T2, D4, and the limits of plan, budget and cooldown.

const isText = ({ channel }: { channel: Channel }) => channel === 'sms' || channel === 'whatsapp'

/** No text at night at the shopper's place, opt-in requests included; on the engine's clock, like the store's. */
export const T2: Invariant = ({ harness, fresh }) => [
  ...fresh
    .filter(({ channel }) => channel !== 'email')
    .flatMap((mail) => {
      const isDark = (at: number) => isNight(at, findHome(mail))
      // The provider may be called in the moment in which night begins.
      const isDarkAtSubmission = isDark(mail.engineAt - MOMENT_MS) && isDark(mail.engineAt)
      return isDark(mail.evidence.sendingAt) || isDarkAtSubmission
        ? [`${describeMail(mail)} was sent at ${new Date(mail.engineAt).toISOString()}, at night`]
        : []
    }),
  ...harness.providers.questions
    .filter(({ engineAt, to, country }) =>
      isNight(engineAt, { country: country ?? findPhoneCountry(to), state: null, phone: to }),
    )
    .map(({ engineAt, to }) => `an opt-in request was sent to ${to} at ${new Date(engineAt).toISOString()}, at night`),
]

/** A state counts only with the address that names its country. */
const findHome = ({ to, channel, evidence: { country, usState, phone } }: SentMail): Home => ({
  country: country ?? findPhoneCountry(channel === 'push' ? phone : to),
  state: country === null ? null : usState,
  phone: channel === 'push' ? (phone ?? '') : to,
})

/** The cooldown separates two texts of a kind for one cart; provably rejected ones start none. */
export const checkCooldown: Invariant = ({ harness, fresh, mails }) =>
  fresh.filter(isText).flatMap((mail) => {
    const { cart, joined, sendingAt } = mail.evidence
    const carts = new Set([cart, ...joined])
    const leastMs = harness.scenario.cooldownHours * 3_600_000
    const before = mails.find(
      (other) =>
        other.isAccepted &&
        other.id !== mail.id &&
        other.channel === mail.channel &&
        mails.indexOf(other) < mails.indexOf(mail as SentMessage) &&
        other.evidence !== undefined &&
        carts.has(other.evidence.cart) &&
        other.evidence.sendingAt > sendingAt - leastMs,
    )
    return before
      ? [`${describeMail(mail)} was sent within ${harness.scenario.cooldownHours} h of another one for its cart`]
      : []
  })

/** Nothing is sent beyond the plan, and the counter equals the rows. */
export const checkPlan: Invariant = ({ harness, state, fresh }) => {
  const over = fresh.flatMap((mail) => {
    const { plan: key, used } = mail.evidence
    if (mail.at - mail.sendBlocks.plannedSince < MOMENT_MS) return []
    const limit = key ? readPlanLimit(key, mail.channel) : 0
    const isMissing = isText(mail) && !isManualSend(mail.evidence) && !isAllowedByPlan(key, mail)
    return [
      ...(limit >= 0 && used > limit
        ? [`${describeMail(mail)} is number ${used} of the month; the plan’s limit is ${limit}`]
        : []),
      ...(isMissing ? [`${describeMail(mail)} is automatic, which the plan ${key} does not include`] : []),
    ]
  })
  const { room, plan: first } = harness.scenario
  const firstMonth = formatMonth(FIRST_DAY + harness.scenario.startDay * 86_400_000)
  const counted = state.usage.flatMap(({ month, channel, used }) => {
    const start = room !== null && month === firstMonth ? Math.max(0, readPlanLimit(first, channel) - room) : 0
    const rows = start + filterSending(state.messages, month).filter((message) => message.channel === channel).length
    return rows === used ? [] : [`${used} ${channel} of ${month} were counted, but there are ${rows}`]
  })
  return [...over, ...counted]
}

/** Applies to all but manual sends: a single SMS of a campaign needs less than the rest. */
const isAllowedByPlan = (plan: string | null, { channel, evidence }: SentMail) =>
  plan === 'growth' || (isCampaignSend(evidence) && channel === 'sms' && plan === 'starter')

const LIMITS = { email: 'maxEmailsPerMonth', sms: 'maxSmsPerMonth', whatsapp: 'maxWhatsappPerMonth' } as const
/** Notifications are not limited. */
const readPlanLimit = (key: keyof typeof plans, channel: Channel) =>
  channel === 'push' ? -1 : plans[key].limits[LIMITS[channel]]

const formatMonth = (at: number) => `${new Date(at).toISOString().slice(0, 7)}-01`
const filterSending = (messages: readonly Message[], month: string) =>
  messages.filter(({ sendingAt }) => sendingAt !== null && formatMonth(sendingAt) === month)

/** Accepted texts never cost more than the budget in force, and the books equal the rows. */
export const checkBudget: Invariant = ({ harness, state, fresh, mails }) => {
  const { questions } = harness.providers
  const over = fresh.filter(isText).flatMap((mail) => {
    const { micros, since } = mail.sendBlocks.budget
    if (micros === null || mail.at - since < MOMENT_MS) return []
    const month = formatMonth(mail.evidence.sendingAt)
    const before = mails
      .slice(0, mails.indexOf(mail as SentMessage))
      .filter((other) => formatMonth(other.engineAt) === month)
    const sum = [...before, ...questions.filter(({ at }) => at < mail.at)]
      .filter((other) => other.isAccepted && formatMonth(other.engineAt) === month)
      .reduce((total, other) => total + findCheapest(state, other), mail.micros)
    const booked = mail.evidence.spent
    return [
      ...(sum > micros ? [`${describeMail(mail)} brings the month to ${sum} of ${micros}`] : []),
      ...(booked > micros ? [`${describeMail(mail)} brings the books to ${booked} of ${micros}`] : []),
    ]
  })
  const books = state.spend.flatMap(({ month, micros }) => {
    const rows = filterSending(state.messages, month).reduce((total, message) => total + (message.micros ?? 0), 0)
    const requests = sumOptInCosts(harness, state, month)
    if (rows + requests === micros) return []
    return [`${micros} of ${month} were booked; messages cost ${rows}, and opt-in requests ${requests}`]
  })
  return [...over, ...books]
}

/** Opt-in requests cost like messages, even if a process died before it knew the reply (D4). */
function sumOptInCosts({ people }: Harness, { questions }: State, month: string): number {
  const phones = new Map(people.flatMap((person) => person.phones).map((phone) => [hashPhone(phone), phone]))
  return questions
    .filter(({ state, wording }) => wording !== null && state !== 'failed')
    .filter(({ askedAt }) => askedAt !== null && formatMonth(askedAt) === month)
    .reduce((sum, { hash, wording }) => sum + findSmsPrice(phones.get(hash)!, wording!), 0)
}

const hashPhone = (phone: string) => secrets.addressHash(phone).toString('hex')

/** The list price, or the final price from the provider. */
function findCheapest({ messages }: State, mail: SentMessage): number {
  const row = messages.find(({ id }) => id === mail.id)
  return Math.min(mail.micros, row?.micros ?? mail.micros)
}

/** A text's state follows from its provider's reports in any order, and from nothing else. */
export const D4: Invariant = ({ harness, state, mails }) =>
  state.messages
    .filter(({ channel }) => channel !== 'email')
    .flatMap((message) => {
      const { id, state: now, isSending, to } = message
      const reports = harness.reported.get(id)
      // For an erased person, the message of a report is unknown.
      if (isSending || to === null) return []
      if (!reports) {
        const isInvented = now === 'delivered' || (now === 'failed' && message.reason?.startsWith('undelivered'))
        return isInvented ? [`step ${message.step} is ${now} without such a report`] : []
      }
      const expected = reports.has('failed')
        ? 'failed'
        : reports.has('delivered') || reports.has('read')
          ? 'delivered'
          : 'sent'
      const answer = mails.find((mail) => mail.id === id)?.answer
      return now === expected ? [] : [`a text (${answer}) is ${now}, but its reports are ${[...reports].join(', ')}`]
    })
