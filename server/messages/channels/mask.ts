import type { ChannelName } from './channel.ts'

// Masks addresses for readers who may not know them. Pure.

/** Enough to recognise one's own address: `a•••@example.com`, `+49•••••67`. */
export const maskAddress = (channel: ChannelName, address: string): string =>
  channel === 'push' ? 'a browser' : channel === 'email' ? maskEmail(address) : maskPhone(address)

function maskEmail(address: string): string {
  const [local = '', domain = ''] = address.split('@')
  return `${local.slice(0, 1)}•••@${domain}`
}

const maskPhone = (phone: string): string => `${phone.slice(0, 3)}•••••${phone.slice(-2)}`

/** The channels that use the same address: those that a suppression of `all` covers. */
export const listChannelsOfAddress = (channel: ChannelName): readonly ChannelName[] =>
  channel === 'email' || channel === 'push' ? ['email', 'push'] : ['sms', 'whatsapp']
