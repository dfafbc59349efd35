import ipaddr from 'ipaddr.js'

// Accounts: pure rules. No clock, no database, no network.

const DAY_MS = 86_400_000

/** A session lives 30 days from its last use. */
export const SESSION_MS = 30 * DAY_MS
/** Its last use is written at most this often. */
export const SESSION_TOUCH_MS = 5 * 60_000
export const RESET_MS = 3_600_000
export const INVITATION_MS = 7 * DAY_MS
/** How long an expired invitation still stands in the list, to be sent again. */
export const INVITATION_KEPT_MS = 30 * DAY_MS
export const EMAIL_CHANGE_MS = DAY_MS
export const EXPORT_LINK_MS = 2 * 60_000
/** A removal that its job has not finished by then is asked for again. */
export const REMOVAL_MS = 10 * 60_000

export const later = (instant: Date, ms: number): Date => new Date(instant.getTime() + ms)

/** Who a rate limit counts: one IPv4 address, or one IPv6 /64, which is the least a single customer is given. */
export function clientNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return address.toByteArray().slice(0, 8).join('.')
}

/** "14 minutes", "1 hour": rounded up, so that trying again then works. */
export function waitingTime(seconds: number): string {
  if (seconds < 60) return counted(Math.max(1, Math.ceil(seconds)), 'second')
  if (seconds <= 59 * 60) return counted(Math.ceil(seconds / 60), 'minute')
  return counted(Math.ceil(seconds / 3_600), 'hour')
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** `Name <address>` or a bare address, as configuration checked it. */
export function readSender(mailFrom: string): { name: string; address: string } {
  const parts = /^(.*)<([^<>]+)>$/.exec(mailFrom)
  return parts ? { name: parts[1]!.trim(), address: parts[2]!.trim() } : { name: '', address: mailFrom.trim() }
}
