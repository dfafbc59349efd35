import type { Limit } from '../../core/db/public.ts'

// Rate limits of actions that cost a mail, a password check or a connection.

const QUARTER_HOUR = 900

const HOUR = 3_600

const DAY = 86_400

export const limits = {
  /** Per address and client. */
  signInPerPair: { name: 'sign-in-pair', points: 5, windowS: QUARTER_HOUR },
  lockoutsPerPair: { name: 'sign-in-lockouts', points: 1_000_000, windowS: DAY },
  /** Across all clients, except browsers that have signed in before. */
  signInPerAddress: { name: 'sign-in-all', points: 100, windowS: HOUR },
  signInPerClient: { name: 'sign-in-client', points: 30, windowS: QUARTER_HOUR },
  registerPerClient: { name: 'register-client', points: 10, windowS: HOUR },
  registrationMailPerAddress: { name: 'registration-mail', points: 3, windowS: HOUR },
  forgotPerPair: { name: 'forgot-pair', points: 3, windowS: HOUR },
  /** Across all clients. Above it no mail is sent, and the links of the last hour keep working. */
  forgotPerAddress: { name: 'forgot-address', points: 6, windowS: HOUR },
  forgotPerClient: { name: 'forgot-client', points: 20, windowS: HOUR },
  resetPerClient: { name: 'reset-client', points: 20, windowS: HOUR },
  passwordPerUser: { name: 'password-user', points: 10, windowS: QUARTER_HOUR },
  /** Second-factor codes of a signed-in user. */
  codePerUser: { name: 'code-user', points: 10, windowS: QUARTER_HOUR },
  /** Second-factor codes after a right password, across all clients, except browsers that have signed in before. */
  signInCodePerUser: { name: 'sign-in-code', points: 20, windowS: HOUR },
  emailChangePerUser: { name: 'email-change-user', points: 5, windowS: HOUR },
  /** For users with an unconfirmed address. */
  emailChangePerUnconfirmed: { name: 'email-change-unconfirmed', points: 1, windowS: HOUR },
  emailConfirmPerClient: { name: 'email-confirm-client', points: 20, windowS: HOUR },
  emailUndoPerClient: { name: 'email-undo-client', points: 20, windowS: HOUR },
  verificationPerUser: { name: 'verification-user', points: 3, windowS: HOUR },
  /** The limit depends on the account's age. */
  ownTextPerAccount: { name: 'own-words-account', points: 50, windowS: DAY },
  invitePerAccount: { name: 'invite-account', points: 30, windowS: HOUR },
  /** Invitations and confirmation links can be sent to any address, so they are limited per recipient. */
  linkPerAddress: { name: 'link-address', points: 5, windowS: HOUR },
  invitationPerClient: { name: 'invitation-client', points: 60, windowS: HOUR },
  exportPerAccount: { name: 'export-account', points: 10, windowS: HOUR },
  demoPerClient: { name: 'demo-client', points: 120, windowS: HOUR },
  /** Decoded files, and requests for a store's logo. */
  logoPerAccount: { name: 'logo-account', points: 60, windowS: HOUR },
  /** Decoded files for mails. */
  imagePerAccount: { name: 'image-account', points: 120, windowS: HOUR },
  connectPerAccount: { name: 'connect-account', points: 30, windowS: QUARTER_HOUR },
} as const satisfies Record<string, Limit>
