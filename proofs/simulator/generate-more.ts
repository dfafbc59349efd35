import { type ActContext, type ActMaker, type ActMakers, drawAnswer } from './act-makers.ts'
import type { Act } from './steps.ts'

// Acts around texts and around single people: name of the act, weight, and how to draw one.

const chooseKind = (isPhone: boolean) => (isPhone ? 'phone' : 'email')

/** In every scenario. */
export const ownerActMakers: ActMakers = {
  suppress: [
    0.6,
    (chance) => ({
      do: 'suppress',
      person: chance.between(0, 2),
      kind: chooseKind(chance.hasTexts && chance.isLucky(0.6)),
      channels: chance.pick([['sms'], ['whatsapp'], ['sms', 'whatsapp']]),
    }),
  ],
  allow: [
    0.4,
    (chance) => {
      const isPhone = chance.hasTexts && chance.isLucky(0.6)
      const channel = isPhone ? chance.pick(['sms', 'whatsapp', 'all'] as const) : 'email'
      return { do: 'allow again', person: chance.between(0, 2), kind: chooseKind(isPhone), channel }
    },
  ],
  erase: [
    0.35,
    (chance) => ({
      do: 'erase',
      person: chance.between(0, 2),
      kind: chooseKind(chance.hasTexts && chance.isLucky(0.4)),
      isRunNow: chance.isLucky(0.5),
    }),
  ],
}

const CODES = ['30003', '30005', '30007', '21610', '63003', '131026', null] as const

const drawReply: ActMaker = (chance) => {
  const keyword = chance.weighted({ STOP: 3, START: 3, YES: 6, HELP: 0.5, hello: 2 })
  // Opt-in requests go by SMS.
  const channel = keyword === 'YES' ? 'sms' : chance.pick(['sms', 'whatsapp'] as const)
  return { do: 'says', person: chance.between(0, 2), channel, keyword, network: drawNetwork(chance) }
}

const drawNetwork = (chance: ActContext) => chance.weighted({ now: 8, twice: 1, late: 1, forged: 1 })

function report(chance: ActContext): Act {
  const status = chance.weighted({ sent: 1, delivered: 4, read: 1, failed: 3 })
  return {
    do: 'report',
    text: Number(chance.weighted({ 0: 6, 1: 3, 2: 1 })),
    status,
    code: status === 'failed' ? chance.pick(CODES) : null,
    network: chance.weighted({ now: 6, twice: 1, late: 2, forged: 1 }),
  }
}

function drawManualSend(chance: ActContext): Act {
  const isBulk = chance.isLucky(0.4)
  return {
    do: 'manual',
    channel: chance.weighted({ email: 2, sms: 4, whatsapp: 4 }),
    carts: isBulk ? chance.pick([[0, 1], [0, 1, 2], [1, 1, 0], [2]]) : [chance.between(0, 2)],
    isBulk,
    key: chance.isLucky(0.7) ? chance.between(1, 2) : null,
    overrideHoldout: chance.isLucky(0.1),
    laterHours: chance.isLucky(0.15) ? chance.pick([1, 5, 14]) : null,
    worker: chance.isLucky(0.8) ? chance.between(0, 1) : null,
    answers: chance.isLucky(0.3) ? [drawAnswer(chance), drawAnswer(chance)] : [],
  }
}

/** Only in scenarios with texts. */
export const textActMakers: ActMakers = {
  says: [5, drawReply],
  lateInbound: [0.7, (chance) => ({ do: 'late words arrive', isReversed: chance.isLucky(0.5) })],
  report: [6, report],
  lateReports: [1, (chance) => ({ do: 'late reports arrive', isReversed: chance.isLucky(0.5) })],
  manual: [5, drawManualSend],
  override: [0.8, (chance) => ({ do: 'override', rule: chance.between(0, 2) })],
  endConsentOverride: [0.6, (chance) => ({ do: 'end override', rule: chance.between(0, 2) })],
  budget: [0.8, (chance) => ({ do: 'budget', micros: chance.pick([null, 0, 8_000, 20_000, 250_000]) })],
  plan: [0.4, (chance) => ({ do: 'plan', plan: chance.pick(['free', 'starter', 'growth', 'growth']) })],
}
