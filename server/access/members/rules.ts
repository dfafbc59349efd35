// Pure rules of members: no clock, no database, no network.

const DAY_MS = 86_400_000

/** A session lives 30 days from its last use. */
export const SESSION_MS = 30 * DAY_MS
/** Length of an operator's view of an account. */
export const VIEW_MS = 30 * 60_000
/** Minimum interval between updates of the last use. */
export const SESSION_TOUCH_MS = 5 * 60_000
export const RESET_MS = 3_600_000
export const INVITATION_MS = 7 * DAY_MS
/** How long an expired invitation stays listed, so that it can be sent again. */
export const INVITATION_RETENTION_MS = 30 * DAY_MS
export const EMAIL_CHANGE_MS = DAY_MS
/** How long the old address can revert a change of address. */
export const EMAIL_UNDO_MS = 3 * DAY_MS
export const VERIFICATION_MS = 7 * DAY_MS
/** A removal that its job has not finished after this time is requested again. */
export const REMOVAL_MS = 10 * 60_000

export const addMs = (instant: Date, ms: number): Date => new Date(instant.getTime() + ms)

/** `Name <address>` or a bare address, as configuration checked it. */
export function readSender(mailFrom: string): { name: string; address: string } {
  const parts = /^(.*)<([^<>]+)>$/.exec(mailFrom)
  return parts ? { name: parts[1]!.trim(), address: parts[2]!.trim() } : { name: '', address: mailFrom.trim() }
}

/** Maximum number of mails with custom text in 24 hours; null: only the plan's limit. */
export function customTextLimit(createdAt: Date, now: Date): number | null {
  const days = (now.getTime() - createdAt.getTime()) / DAY_MS
  if (days >= 30) return null
  if (days >= 7) return 5_000
  return days >= 1 ? 500 : 50
}

/**
 * Lockout after five wrong passwords: a quarter of an hour, doubled with each lockout of the last day, at most a day.
 */
export const computeLockoutS = (count: number): number => Math.min(900 * 2 ** Math.min(count - 1, 10), 86_400)
