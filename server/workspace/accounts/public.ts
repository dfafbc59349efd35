// What other rooms use: sign-up, sign-in, team.

export type { AccountMail, MailItem, MailStation } from './account-mail.ts'
export { cleanUpAccounts, hasDemoAccount } from './accounts.ts'
export {
  mailEmailChange,
  mailEmailUndo,
  mailInvitation,
  mailOwnerInvitation,
  mailRegistration,
  mailReset,
  removeAccount,
} from './jobs.ts'
export {
  mailEmailChangeLink,
  mailEmailUndoLink,
  mailInvitationLink,
  mailMember,
  mailOwnerInvitationLink,
  mailRegistrationAttempt,
  mailResetLink,
  mailSecurityNotice,
  mailVerificationLink,
} from './mails.ts'
export { createOwnedAccount, inviteOwner } from './owner-invitations.ts'
export { removeAccountData } from './removal.ts'
export { accountRoutes, profileRoutes } from './routes.ts'
export { teamRoutes } from './team-routes.ts'
