import { expect, it } from 'vitest'
import { explainByChannel, explainSkippedChannels, readChannel } from './channel-reasons.ts'

const held = (reason: string, otherChannels?: { channel: string; reason: string }[]) => ({
  outcome: 'hold' as const,
  reason,
  inputs: otherChannels ? { otherChannels } : {},
})
const sms = [{ channel: 'sms', reason: 'sms_once_per_cart' }]

it('explains for each channel why the message is not sent by it', () => {
  expect(explainByChannel('email', 'no_contact', { last: held('no_contact', sms) })).toBe(
    'By email: No usable email address has been captured yet. By SMS: A US shopper may get only one SMS per cart, and it was already sent.',
  )
})

it('returns nothing when there is one reason or it is not specific to a channel', () => {
  expect(explainByChannel('email', 'no_contact', { last: undefined })).toBeNull()
  expect(explainByChannel('email', 'no_contact', { last: held('no_contact') })).toBeNull()
  expect(explainByChannel('email', 'purchased', { last: held('purchased', sms) })).toBeNull()
  // Something has happened since that decision.
  expect(explainByChannel('email', 'step_removed', { last: held('no_contact', sms) })).toBeNull()
  expect(explainByChannel('email', null, { last: held('no_contact', sms) })).toBeNull()
  expect(explainByChannel('email', 'no_contact', { last: { ...held('no_contact', sms), outcome: 'send' } })).toBeNull()
})

it('adds the consent basis to the first channel’s reason only', () => {
  const more = 'For Germany the rule is: opt-in.'
  expect(explainByChannel('email', 'no_consent', { last: held('no_consent', sms), more })).toMatch(
    /^By email: .* For Germany the rule is: opt-in\. By SMS: /,
  )
})

it('explains for a sent message why earlier channels were skipped', () => {
  const email = [{ channel: 'email', reason: 'no_contact' }]
  expect(explainSkippedChannels({ ...held('ok', email), outcome: 'send' })).toBe(
    'By email: No usable email address has been captured yet.',
  )
  expect(explainSkippedChannels({ ...held('ok'), outcome: 'send' })).toBe('')
  expect(explainSkippedChannels(held('no_contact', sms))).toBe('')
})

it('returns the channel of a decision', () => {
  expect(readChannel({ inputs: { channel: 'sms' } })).toBe('sms')
  expect(readChannel({ inputs: {} })).toBeNull()
  expect(readChannel({ inputs: { channel: 'fax' } })).toBeNull()
})
