import type { Country } from './people.ts'
import type { Random } from './random.ts'
import type { Channel, Scenario } from './steps.ts'

// Settings that hold from a scenario's start: channels of its flow, countries of its people, and the plan.

type Frame = Pick<
  Scenario,
  'channels' | 'countries' | 'startHour' | 'plan' | 'room' | 'budgetMicros' | 'cooldownHours' | 'template'
>

const MAIL: readonly Channel[] = ['email', 'email', 'email']
export const MIXED_CHANNELS: readonly (readonly Channel[])[] = [
  ['sms', 'sms', 'sms'],
  ['email', 'sms', 'email'],
  ['sms', 'email', 'whatsapp'],
  ['whatsapp', 'sms', 'email'],
  ['whatsapp', 'whatsapp', 'sms'],
  ['email', 'whatsapp', 'sms'],
]
const HOMES: Record<Country, number> = { US: 3, DE: 3, GB: 4, MX: 1, AU: 1 }
/** When daytime starts everywhere in a country, UTC. */
const DAYS: Record<Country, number> = { US: 18, DE: 7, GB: 8, MX: 16, AU: 0 }

export function drawFrame(chance: Random): Frame {
  return chance.isLucky(0.5) ? drawMailFrame(chance) : drawTextFrame(chance)
}

function drawMailFrame(chance: Random): Frame {
  // Scenarios never reach a limit of 500 mails a month by themselves, so some start close to it.
  const isNear = chance.isLucky(0.1)
  return {
    channels: MAIL,
    countries: ['US', 'US', 'US'],
    startHour: 15,
    plan: isNear ? 'free' : 'growth',
    room: isNear ? chance.between(0, 2) : null,
    budgetMicros: null,
    cooldownHours: 24,
    template: 'marketing',
  }
}

function drawTextFrame(chance: Random): Frame {
  const home = () => chance.weighted(HOMES)
  const first = home()
  const countries = chance.isLucky(0.5) ? [first, first, first] : [first, home(), home()]
  return {
    channels: chance.pick(MIXED_CHANNELS),
    countries,
    startHour: chance.isLucky(0.8) ? DAYS[first] : chance.between(0, 23),
    plan: chance.weighted({ growth: 9, starter: 1, free: 0 }),
    room: chance.isLucky(0.2) ? chance.between(0, 2) : null,
    budgetMicros: chance.isLucky(0.3) ? chance.pick([8_000, 20_000, 110_000, 250_000]) : null,
    cooldownHours: chance.pick([1, 3, 24]),
    template: chance.isLucky(0.7) ? 'utility' : 'marketing',
  }
}
