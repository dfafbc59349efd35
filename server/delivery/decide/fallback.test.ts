import { describe, expect, test } from 'vitest'
import { reasonTexts } from '../../../shared/delivery/reasons.ts'
import type { Decision } from './decide.ts'
import { isChannelSpecific, pickDecision } from './fallback.ts'

// The choice among a step's channels (decision 54).

const until = (hours: number) => new Date(Date.UTC(2026, 2, 2, hours))
const hold = (reason: string, hours = 1): Decision => ({ outcome: 'hold', reason, until: until(hours) })
const skip = (reason: string): Decision => ({ outcome: 'skip', reason })
const send = { outcome: 'send', reason: 'ok' } as Decision
const of = (...decisions: Decision[]) => pickDecision(decisions.map((decision, place) => ({ decision, place }))).place

describe('`pickDecision` returns the decision', () => {
  test('of the first channel with contact, consent, plan, provider and no quiet hours', () => {
    expect(of(send, send)).toBe(0)
    expect(of(hold('no_contact'), send)).toBe(1)
    expect(of(skip('consent_withdrawn'), hold('quiet_hours'), send)).toBe(2)
    expect(of(hold('mail_not_configured'), hold('plan_required'), hold('budget'), send)).toBe(3)
  })

  test('that concerns every channel, regardless of the next channel', () => {
    for (const reason of ['purchased', 'superseded', 'holdout', 'condition', 'too_old', 'items_gone']) {
      expect(of(skip(reason), send)).toBe(0)
      expect(of(hold('no_contact'), skip(reason), send)).toBe(1)
    }
    expect(of(hold('frequency_cap'), send)).toBe(0)
    // A message held only for a short time stays on its channel.
    for (const reason of ['mail_server_away', 'domain_throttled', 'coupon_pending'])
      expect(of(hold(reason), send)).toBe(0)
  })

  test('of the channel that is free first when none is usable, or the final one when none will be', () => {
    expect(of(hold('no_contact', 20), hold('quiet_hours', 3), skip('consent_withdrawn'))).toBe(1)
    expect(of(skip('suppressed_unsubscribed'), hold('no_consent'))).toBe(1)
    expect(of(skip('suppressed_unsubscribed'), skip('consent_withdrawn'))).toBe(0)
  })
})

test('every channel-specific reason is a known reason', () => {
  const known = Object.keys(reasonTexts).filter((reason) => isChannelSpecific(skip(reason)))
  expect(known.length).toBeGreaterThan(18)
  expect(isChannelSpecific(skip('rejected'))).toBe(false)
  expect(isChannelSpecific(send)).toBe(false)
})
