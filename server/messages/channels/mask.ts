import type { ChannelName } from './channel.ts'

// Addresses as they are shown to whoever does not know them already. Pure.

/** Enough to recognise one's own: `a•••@example.com`, `+49•••••67`. */
export const maskedAddress = (channel: ChannelName, address: string): string =>
  channel === 'push' ? 'a browser' : channel === 'email' ? maskedEmail(address) : maskedPhone(address)

function maskedEmail(address: string): string {
  const [local = '', domain = ''] = address.split('@')
  return `${local.slice(0, 1)}•••@${domain}`
}

const maskedPhone = (phone: string): string => `${phone.slice(0, 3)}•••••${phone.slice(-2)}`

/** The channels of the address one of them writes to: what a suppression of `all` stands for. */
export const besides = (channel: ChannelName): readonly ChannelName[] =>
  channel === 'email' || channel === 'push' ? ['email', 'push'] : ['sms', 'whatsapp']
