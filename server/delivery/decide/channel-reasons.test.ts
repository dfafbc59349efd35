import { expect, it } from 'vitest'
import { channelOf, passedOver, reasonsByChannel } from './channel-reasons.ts'

const held = (reason: string, otherChannels?: { channel: string; reason: string }[]) => ({
  ...{ outcome: 'hold' as const, reason },
  inputs: otherChannels ? { otherChannels } : {},
})
const sms = [{ channel: 'sms', reason: 'sms_once_per_cart' }]

it('says of each channel why the message does not go by it', () => {
  expect(reasonsByChannel('email', 'no_contact', { last: held('no_contact', sms) })).toBe(
    'By email: No usable email address has been captured yet. By SMS: A US shopper may get only one SMS per cart, and this cart has had it.',
  )
})

it('leaves it at one reason where that is all there is, or where it is not about a channel', () => {
  expect(reasonsByChannel('email', 'no_contact', { last: undefined })).toBeNull()
  expect(reasonsByChannel('email', 'no_contact', { last: held('no_contact') })).toBeNull()
  expect(reasonsByChannel('email', 'purchased', { last: held('purchased', sms) })).toBeNull()
  // Something has happened since that decision.
  expect(reasonsByChannel('email', 'step_removed', { last: held('no_contact', sms) })).toBeNull()
  expect(reasonsByChannel('email', null, { last: held('no_contact', sms) })).toBeNull()
  expect(reasonsByChannel('email', 'no_contact', { last: { ...held('no_contact', sms), outcome: 'send' } })).toBeNull()
})

it('says what the first one’s consent rests on with its reason, and not behind those of others', () => {
  const more = 'For Germany the rule is: opt-in.'
  expect(reasonsByChannel('email', 'no_consent', { last: held('no_consent', sms), more })).toMatch(
    /^By email: .* For Germany the rule is: opt-in\. By SMS: /,
  )
})

it('says of a message that left why it went by none of the channels before', () => {
  const email = [{ channel: 'email', reason: 'no_contact' }]
  expect(passedOver({ ...held('ok', email), outcome: 'send' })).toBe(
    'By email: No usable email address has been captured yet.',
  )
  expect(passedOver({ ...held('ok'), outcome: 'send' })).toBe('')
  expect(passedOver(held('no_contact', sms))).toBe('')
})

it('knows the channel that a decision was about', () => {
  expect(channelOf({ inputs: { channel: 'sms' } })).toBe('sms')
  expect(channelOf({ inputs: {} })).toBeNull()
  expect(channelOf({ inputs: { channel: 'fax' } })).toBeNull()
})
