import { expect, it } from 'vitest'
import { reasonsByChannel } from './channel-reasons.ts'

const held = (reason: string, otherChannels?: { channel: string; reason: string }[]) => ({
  ...{ outcome: 'hold' as const, reason },
  inputs: otherChannels ? { otherChannels } : {},
})
const sms = [{ channel: 'sms', reason: 'sms_once_per_cart' }]

it('says of each channel why the message does not go by it', () => {
  expect(reasonsByChannel('email', 'no_contact', held('no_contact', sms))).toBe(
    'By email: No usable email address has been captured yet. By SMS: A US shopper may get only one SMS per cart, and this cart has had it.',
  )
})

it('leaves it at one reason where that is all there is, or where it is not about a channel', () => {
  expect(reasonsByChannel('email', 'no_contact', undefined)).toBeNull()
  expect(reasonsByChannel('email', 'no_contact', held('no_contact'))).toBeNull()
  expect(reasonsByChannel('email', 'purchased', held('purchased', sms))).toBeNull()
  // Something has happened since that decision.
  expect(reasonsByChannel('email', 'step_removed', held('no_contact', sms))).toBeNull()
  expect(reasonsByChannel('email', null, held('no_contact', sms))).toBeNull()
  expect(reasonsByChannel('email', 'no_contact', { ...held('no_contact', sms), outcome: 'send' })).toBeNull()
})
