import type { Limit } from '../../core/db/rate-limits.ts'

// Limits on attempts that cost a mail, a password check or a connection.

const QUARTER_HOUR = 900

const HOUR = 3_600

const DAY = 86_400

export const limits = {
  /** By address and client together. */
  signInPerPair: { name: 'sign-in-pair', points: 5, windowS: QUARTER_HOUR },
  lockoutsPerPair: { name: 'sign-in-lockouts', points: 1_000_000, windowS: DAY },
  /** From all clients together, but for browsers that have signed in before. */
  signInPerAddress: { name: 'sign-in-all', points: 100, windowS: HOUR },
  signInPerClient: { name: 'sign-in-client', points: 30, windowS: QUARTER_HOUR },
  registerPerClient: { name: 'register-client', points: 10, windowS: HOUR },
  registrationMailPerAddress: { name: 'registration-mail', points: 3, windowS: HOUR },
  forgotPerPair: { name: 'forgot-pair', points: 3, windowS: HOUR },
  /** From all clients together; above it no mail is sent, and the links of the hour before work. */
  forgotPerAddress: { name: 'forgot-address', points: 6, windowS: HOUR },
  forgotPerClient: { name: 'forgot-client', points: 20, windowS: HOUR },
  resetPerClient: { name: 'reset-client', points: 20, windowS: HOUR },
  passwordPerUser: { name: 'password-user', points: 10, windowS: QUARTER_HOUR },
  /** Codes of a second factor, where whoever types them is signed in. */
  codePerUser: { name: 'code-user', points: 10, windowS: QUARTER_HOUR },
  /** Codes by whoever knows the password, from all clients together, but for browsers that have signed in before. */
  signInCodePerUser: { name: 'sign-in-code', points: 20, windowS: HOUR },
  emailChangePerUser: { name: 'email-change-user', points: 5, windowS: HOUR },
  /** Of somebody who has not confirmed the address they have. */
  emailChangePerUnconfirmed: { name: 'email-change-unconfirmed', points: 1, windowS: HOUR },
  emailConfirmPerClient: { name: 'email-confirm-client', points: 20, windowS: HOUR },
  emailUndoPerClient: { name: 'email-undo-client', points: 20, windowS: HOUR },
  verificationPerUser: { name: 'verification-user', points: 3, windowS: HOUR },
  /** How many depends on the account's age. */
  ownTextPerAccount: { name: 'own-words-account', points: 50, windowS: DAY },
  invitePerAccount: { name: 'invite-account', points: 30, windowS: HOUR },
  /** Invitations and links that confirm an address: anybody can have them mailed to anybody, so they are counted by where they go. */
  linkPerAddress: { name: 'link-address', points: 5, windowS: HOUR },
  invitationPerClient: { name: 'invitation-client', points: 60, windowS: HOUR },
  exportPerAccount: { name: 'export-account', points: 10, windowS: HOUR },
  demoPerClient: { name: 'demo-client', points: 120, windowS: HOUR },
  /** Files that are decoded, and stores that are asked for theirs. */
  logoPerAccount: { name: 'logo-account', points: 60, windowS: HOUR },
  connectPerAccount: { name: 'connect-account', points: 30, windowS: QUARTER_HOUR },
} as const satisfies Record<string, Limit>
